#ifndef DRX_PMPI_H
#define DRX_PMPI_H

// pmpi_begin begins to count, on the thread that is to make all calls.
void pmpi_begin(void);

// pmpi_calls returns how many calls were made since, pmpi_foreign how many of them on other
// threads, and pmpi_world how many with MPI_COMM_WORLD. pmpi_first is the name of the first call on
// another thread or with MPI_COMM_WORLD, "" for none.
long pmpi_calls(void);
long pmpi_foreign(void);
long pmpi_world(void);
const char *pmpi_first(void);

#endif
