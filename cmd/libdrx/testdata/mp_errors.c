/* mp_errors.c - mistakes, most of them in process 1 only: all processes get an error, and none
 * hangs. */
#include "mp.h"

static const int64_t start[2] = {0, 0}, all[2] = {8, 6}, outside[2] = {8, 7};
static int32_t buf[48];

/* only returns one value in process 1 and another in the other ones. */
#define ONLY(one, others) (me == 1 ? (one) : (others))

static void before(void)
{
	drxmp_array a = 1;

	FAILS(DRX_EINVAL, drxmp_open(MPI_COMM_NULL, "a", DRX_READ, NULL, &a));
	SAYS("after MPI_Init");
	FAILS(DRX_EINVAL, DRXMP_Init(&a, 0, NULL, NULL, 0, MPI_COMM_NULL));
	FAILS(DRX_EHANDLE, drxmp_sync(0));
	OK(drxmp_terminate());
}

static void opening(void)
{
	drxmp_array a = 1;
	int64_t shape[2] = {8, 6};

	FAILS(DRX_EINVAL, drxmp_open(MPI_COMM_NULL, "a", DRX_READ, NULL, &a));
	TRUE(a == 0);
	FAILS(DRX_ENOTEXIST, drxmp_open(MPI_COMM_WORLD, "missing", DRX_READ, NULL, &a));
	SAYS("missing");
	FAILS(DRX_EINVAL, drxmp_open(MPI_COMM_WORLD, "a", DRX_SHARED, NULL, &a));
	FAILS(DRX_EINVAL, drxmp_create(MPI_COMM_WORLD, "a", DRX_INT32, 2, shape, "{\"engine\": \"steam\"}", &a));
	SAYS("steam");
	FAILS(DRX_EINVAL, drxmp_create(MPI_COMM_WORLD, "a", DRX_INT32, 2, shape, ONLY("{\"oops\": 1}", NULL), &a) ? DRX_EINVAL : 0);
	FAILS(DRXMP_EDISAGREE, drxmp_create(MPI_COMM_WORLD, ONLY("b", "a"), DRX_INT32, 2, shape, NULL, &a));
	FAILS(DRXMP_EDISAGREE, drxmp_create(MPI_COMM_WORLD, "a", DRX_INT32, ONLY(99, 2), shape, NULL, &a));
	FAILS(DRXMP_EDISAGREE, drxmp_create(MPI_COMM_WORLD, "a", DRX_INT32, 2, ONLY(NULL, shape), NULL, &a));
	TRUE(a == 0);
}

static void moving(drxmp_array a)
{
	drxmp_array stale;
	DRXMDMemHdl none = NULL;
	DRXMPStatus stat;
	char *text = NULL;

	FAILS(DRX_EBOUNDS, drxmp_read_all(a, 2, start, ONLY(outside, all), NULL, DRX_INT32, buf, sizeof buf, NULL));
	SAYS("proc 1");
	FAILS(DRX_EBOUNDS, drxmp_write_all(a, 2, ONLY(outside, start), all, NULL, DRX_INT32, buf, sizeof buf, NULL));
	FAILS(DRX_ERANK, drxmp_read_all(a, ONLY(3, 2), start, all, NULL, DRX_INT32, buf, sizeof buf, NULL));
	FAILS(DRX_ERANK, drxmp_read_all(a, ONLY(-1, 2), start, all, NULL, DRX_INT32, buf, sizeof buf, NULL));
	FAILS(DRX_ESIZE, drxmp_read_all(a, 2, start, all, NULL, DRX_INT32, buf, ONLY(5, sizeof buf), NULL));
	FAILS(DRX_EDTYPE, drxmp_write_all(a, 2, start, all, NULL, ONLY(DRX_INT64, DRX_INT32), buf, DRX_UNCHECKED, NULL));
	FAILS(DRX_EDTYPE, drxmp_write_all(a, 2, start, all, NULL, ONLY(77, DRX_INT32), buf, sizeof buf, NULL));
	FAILS(DRX_EINVAL, drxmp_write_all(a, 2, start, all, NULL, DRX_INT32, ONLY(NULL, buf), sizeof buf, NULL));
	FAILS(DRX_ESIZE, drxmp_read_zone_all(a, DRX_INT32, buf, ONLY(1000000, 0)) ? DRX_ESIZE : 0);
	FAILS(DRXMP_EDISAGREE, ONLY(drxmp_sync(a), drxmp_read_all(a, 2, start, all, NULL, DRX_INT32, buf, sizeof buf, NULL)));
	SAYS("sync of a");
	FAILS(DRXMP_EDISAGREE, drxmp_extend(a, ONLY(0, 1), 1, DRX_HIGH, 0, NULL, NULL));
	FAILS(DRXMP_EDISAGREE, drxmp_extend(a, 0, 1, ONLY(5, DRX_HIGH), 0, NULL, NULL));
	FAILS(DRX_ERANK, drxmp_extend(a, 2, 1, DRX_HIGH, 0, NULL, NULL));
	FAILS(DRXMP_EDISAGREE, drxmp_set_attr(a, "units", ONLY("not JSON", "1")));
	FAILS(DRX_EINVAL, drxmp_redistribute(a, "{\"distribution\": [\"round\", \"block\"]}"));
	FAILS(DRXMP_EDISAGREE, drxmp_redistribute(a, ONLY("{", "{\"grid\": [1, 1]}")) ? DRXMP_EDISAGREE : 0);

	/* Mistakes that a process finds itself. */
	FAILS(DRX_EINVAL, me == 1 ? drxmp_refuse(a, "write", "a wrong shape") :
		drxmp_write_all(a, 2, start, start, NULL, DRX_INT32, NULL, 0, NULL));
	SAYS("proc 1: a: write: a wrong shape");
	FAILS(DRXMP_EDISAGREE, me == 1 ? drxmp_refuse(a, "sync of nothing", NULL) : drxmp_sync(a));
	SAYS("sync of nothing");
	FAILS(DRX_EINVAL, drxmp_mpi(NULL));
	OK(drxmp_mpi(&text));
	TRUE(strstr(text, "Open MPI") != NULL || strstr(text, "MPICH") != NULL);
	drx_free(text);

	/* Handles: wrong, of another kind, closed. */
	FAILS(ONLY(DRXMP_EDISAGREE, DRX_EHANDLE), drxmp_sync(ONLY(a, 4711)));
	FAILS(ONLY(DRX_EHANDLE, DRXMP_EDISAGREE), drxmp_write_all(ONLY(17, a), 2, start, all, NULL, DRX_INT32, buf, sizeof buf, NULL));
	SAYS("handle 0x11: not one of this library");
	OK(drxmp_open(MPI_COMM_WORLD, "other", DRX_READ, NULL, &stale));
	OK(drxmp_close(stale));
	FAILS(ONLY(DRX_ECLOSED, DRXMP_EDISAGREE), drxmp_sync(ONLY(stale, a)));
	FAILS(DRX_EHANDLE, drx_sync(a));
	FAILS(DRX_EHANDLE, drxmp_global_fence(a));
	FAILS(DRX_EHANDLE, DRXMP_Open(&a, "a", "r"));
	FAILS(DRX_EINVAL, DRXMP_Open(&a, "a", "w+"));
	FAILS(DRX_EHANDLE, DRXMP_Read(a, none, NULL));
	FAILS(DRX_EHANDLE, DRXMP_Read(a, (DRXMDMemHdl)buf, &stat));
	TRUE(stat.code == DRX_EHANDLE && stat.elements == 0);
	FAILS(DRX_EHANDLE, drxmp_wait(a));
}

/* paper: the functions that the paper names. */
static void paper(void)
{
	const size_t size[] = {8, 6};
	const int chunk[] = {4, 4};
	DRXMDHdl h, done;
	DRXMDMemHdl part;
	DRXMPStatus stat = {-1, -1};
	int32_t *values;
	int64_t n;

	FAILS(DRX_ERANK, DRXMP_Init(&h, 65, size, chunk, DRX_INT32, MPI_COMM_WORLD));
	FAILS(DRX_EINVAL, DRXMP_Init(&h, 2, size, NULL, DRX_INT32, MPI_COMM_WORLD));
	FAILS(DRX_EINVAL, DRXMP_Init(&h, 2, size, (int[]){0, 1}, DRX_INT32, MPI_COMM_WORLD));
	OK(DRXMP_Init(&h, 2, size, chunk, DRX_INT32, MPI_COMM_WORLD));
	FAILS(DRX_EHANDLE, drxmp_rank(h, NULL));
	FAILS(DRX_ENOTEXIST, DRXMP_Open(&h, "missing", "r"));
	FAILS(DRX_EMISMATCH, DRXMP_Open(&h, "other", "r"));
	FAILS(DRX_EEXIST, DRXMP_Create(&h, "other"));
	OK(DRXMP_Close(h));
	FAILS(DRX_ECLOSED, DRXMP_Close(h));
	OK(DRXMP_Init(&h, 0, NULL, NULL, 0, MPI_COMM_WORLD));
	done = h;
	OK(DRXMP_Open(&h, "other", "r"));
	FAILS(DRX_ECLOSED, DRXMP_Close(done));
	FAILS(DRX_EREADONLY, DRXMP_Extend(h, 0, 1));
	OK(DRXMP_Mem_init(&part, h, 2, start, all, NULL));
	OK(DRXMP_Mem_size(part, &n));
	OK(DRXMP_Mem_base(part, (void **)&values));
	memset(values, 0xEE, 48 * sizeof *values);
	OK(DRXMP_Read(h, part, &stat));
	TRUE(n == 48 && stat.code == 0 && stat.elements == 48 && values[0] == 0 && values[47] == 0); /* never written: fill values */
	FAILS(DRX_EREADONLY, DRXMP_Write(h, part, &stat));
	TRUE(stat.code == DRX_EREADONLY && stat.elements == 0);
	FAILS(DRX_EREADONLY, DRXMP_Write_all(h, part, NULL));
	OK(DRXMP_Mem_free(part));
	FAILS(DRX_EBOUNDS, DRXMP_Mem_init(&part, h, 2, all, start, NULL));
	TRUE(part == NULL);
	OK(DRXMP_Close(h));
}

/* own_memory: DRXMP_Write and DRXMP_Read move what is in memory of the program's own, all of it, to
 * and from the right places. */
static void own_memory(void)
{
	const int64_t lo[2] = {1, 2}, hi[2] = {7, 5}; /* of 8 x 6 */
	DRXMDHdl h;
	DRXMDMemHdl part, whole;
	DRXMPStatus stat = {-1, -1};
	int32_t mine[18], got[48];
	void *base = NULL;
	int right = 1;

	OK(DRXMP_Init(&h, 0, NULL, NULL, 0, MPI_COMM_WORLD));
	OK(DRXMP_Open(&h, "other", "r+"));
	OK(DRXMP_Mem_init(&part, h, 2, lo, hi, mine));
	OK(DRXMP_Mem_base(part, &base));
	TRUE(base == mine);
	for (int i = 0; i < 18; i++)
		mine[i] = 100 + i;
	if (me == 1) {
		OK(DRXMP_Write(h, part, &stat));
		TRUE(stat.code == 0 && stat.elements == 18);
	}
	OK(DRXMP_Sync(h));
	memset(mine, 0, sizeof mine);
	OK(DRXMP_Read(h, part, &stat));
	TRUE(stat.code == 0 && stat.elements == 18);
	for (int i = 0; i < 18; i++)
		right &= mine[i] == 100 + i;
	TRUE(right);
	memset(got, 0xEE, sizeof got);
	OK(DRXMP_Mem_init(&whole, h, 2, start, all, got));
	OK(DRXMP_Read_all(h, whole, &stat));
	TRUE(stat.code == 0 && stat.elements == 48);
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 6; j++)
			right &= got[6 * i + j] == (i >= 1 && i < 7 && j >= 2 && j < 5 ? 100 + 3 * (i - 1) + j - 2 : 0);
	TRUE(right);
	OK(DRXMP_Mem_free(part));
	OK(DRXMP_Mem_free(whole));
	OK(DRXMP_Close(h));
}

static void alone(drxmp_array a)
{
	int64_t lo[2], hi[2], n = 3, list[3];
	int proc, boxes;
	char *json = (char *)buf;

	FAILS(DRX_EBOUNDS, drxmp_read(a, 2, start, outside, NULL, DRX_INT32, buf, sizeof buf, NULL));
	FAILS(DRX_EBOUNDS, drxmp_owner(a, 2, outside, &proc));
	FAILS(DRX_EINVAL, drxmp_owner(a, 2, NULL, &proc));
	FAILS(DRX_EINVAL, drxmp_zone(a, 99, 2, lo));
	FAILS(DRX_ERANK, drxmp_zone(a, DRXMP_ME, 3, list));
	OK(drxmp_boxes(a, DRXMP_ME, &boxes));
	FAILS(DRX_EINVAL, drxmp_box(a, DRXMP_ME, boxes, 2, lo, hi));
	n = 1000;
	FAILS(DRX_EINVAL, drxmp_zone_chunks(a, 0, &n, list, NULL));
	FAILS(DRX_ENOATTR, drxmp_attr(a, "none", &json));
	TRUE(json == NULL);
}

int main(int argc, char **argv)
{
	drxmp_array a;
	int64_t shape[2] = {8, 6};

	before();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	opening();
	OK(drxmp_create(MPI_COMM_WORLD, "other", DRX_INT32, 2, shape, NULL, &a));
	OK(drxmp_close(a));
	paper();
	own_memory();
	OK(drxmp_create(MPI_COMM_WORLD, "a", DRX_INT32, 2, shape, "{\"chunk\": [3, 2], \"fill\": 7}", &a));
	moving(a);
	alone(a);
	OK(drxmp_read_all(a, 2, start, all, NULL, DRX_INT32, buf, sizeof buf, NULL)); /* all works as before */
	TRUE(buf[0] == 7 && buf[47] == 7);
	FAILS(DRX_ELOCKED, drx_open("a", DRX_WRITE, NULL, &a) ? DRX_ELOCKED : 0);
	OK(drxmp_terminate());
	return finish();
}
