//go:build ga && mpi && cgo

/* dra.c - the names of Disk Resident Arrays in C. dra.h has all but the last two of them. */
#include "_cgo_export.h"

int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory)
{
	(void)max_array_size, (void)total_disk_space; /* there are no such limits */
	return IN_GO(pextago_init("DRA_Init", max_arrays, max_memory));
}

int DRA_Terminate(void) { return IN_GO(pextago_terminate("DRA_Terminate")); }

int NDRA_Create(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode, dra_size_t reqdims[], int *d_a)
{
	return IN_GO(pextago_create("NDRA_Create", type, ndim, dims, name, filename, mode, reqdims, 0, 0, d_a));
}

int DRA_Open(char *filename, int mode, int *d_a) { return IN_GO(pextago_open("DRA_Open", filename, mode, d_a)); }

int DRA_Close(int d_a) { return IN_GO(pextago_close("DRA_Close", d_a)); }

int DRA_Delete(int d_a) { return IN_GO(pextago_delete("DRA_Delete", d_a)); }

int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t dims[], char *name, char *filename)
{
	return IN_GO(pextago_inquire("NDRA_Inquire", 0, d_a, type, ndim, dims, name, filename));
}

int NDRA_Write(int g_a, int d_a, int *request)
{
	return IN_GO(pextago_move("NDRA_Write", 1, 0, 0, g_a, NULL, NULL, d_a, NULL, NULL, request));
}

int NDRA_Read(int g_a, int d_a, int *request)
{
	return IN_GO(pextago_move("NDRA_Read", 0, 0, 0, g_a, NULL, NULL, d_a, NULL, NULL, request));
}

int pextac_global_rank(int g_a) { return GA_Valid_handle(g_a) ? GA_Ndim(g_a) : 0; }

int pextac_move_section(char *name, int write, logical transp, int g_a, const int glo[], const int ghi[], int d_a, dra_size_t dlo[],
			dra_size_t dhi[], int *request)
{
	long from[MAX_RANK], to[MAX_RANK];
	int given = glo != NULL && ghi != NULL;

	for (int d = 0; given && d < pextac_global_rank(g_a); d++)
		from[d] = glo[d], to[d] = ghi[d];
	return IN_GO(pextago_move(name, write, 1, transp != 0, g_a, given ? from : NULL, given ? to : NULL, d_a, dlo, dhi, request));
}

int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[], dra_size_t dhi[], int *request)
{
	return pextac_move_section("NDRA_Write_section", 1, transp, g_a, glo, ghi, d_a, dlo, dhi, request);
}

int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[], dra_size_t dhi[], int *request)
{
	return pextac_move_section("NDRA_Read_section", 0, transp, g_a, glo, ghi, d_a, dlo, dhi, request);
}

int DRA_Probe(int request, int *compl_status) { return IN_GO(pextago_probe("DRA_Probe", request, compl_status)); }

int DRA_Wait(int request) { return IN_GO(pextago_wait("DRA_Wait", request)); }

void DRA_Flick(void) { IN_GO((pextago_flick("DRA_Flick"), 0)); }

void DRA_Set_debug(logical flag) { IN_GO((pextago_set_debug(flag != 0), 0)); }

void DRA_Print_internals(int d_a) { IN_GO((pextago_print("DRA_Print_internals", d_a), 0)); }

/* An array has three files, and all processes read and write them. */
void DRA_Set_default_config(int numfiles, int numioprocs) { (void)numfiles, (void)numioprocs; }

int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode, dra_size_t reqdims[], int numfiles,
		       int numioprocs, int *d_a)
{
	(void)numfiles, (void)numioprocs;
	return IN_GO(pextago_create("NDRA_Create_config", type, ndim, dims, name, filename, mode, reqdims, 0, 0, d_a));
}

/* DRA asks so whether it may use the file system of some machines directly. */
logical DRA_uses_fapi(void) { return 0; }
