//go:build ga && mpi && cgo

/* pexta.c - the names of PEXTA in C. */
#include "_cgo_export.h"
#include <pexta.h>

const char *PEXTA_Version(void)
{
	const char *version;

	pextac_enter();
	version = pextago_version();
	pextac_leave();
	return version;
}

int PEXTA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory)
{
	(void)max_array_size, (void)total_disk_space; /* there are no such limits */
	return IN_GO(pextago_init("PEXTA_Init", max_arrays, max_memory));
}

int PEXTA_Terminate(void) { return IN_GO(pextago_terminate("PEXTA_Terminate")); }

int PEXTA_Create(int type, int ndim, pexta_size_t dims[], char *name, char *filename, int mode, pexta_size_t reqdims[], int g_a, int *p_a)
{
	return IN_GO(pextago_create("PEXTA_Create", type, ndim, dims, name, filename, mode, reqdims, g_a != -1, g_a, p_a));
}

int PEXTA_Open(char *filename, int mode, int *p_a) { return IN_GO(pextago_open("PEXTA_Open", filename, mode, p_a)); }

int PEXTA_Close(int p_a) { return IN_GO(pextago_close("PEXTA_Close", p_a)); }

int PEXTA_Delete(int p_a) { return IN_GO(pextago_delete("PEXTA_Delete", p_a)); }

int PEXTA_Inquire(int p_a, int *type, int *ndim, pexta_size_t dims[], char *name, char *filename)
{
	return IN_GO(pextago_inquire("PEXTA_Inquire", 1, p_a, type, ndim, dims, name, filename));
}

int PEXTA_Write(int g_a, int p_a, int *request)
{
	return IN_GO(pextago_move("PEXTA_Write", 1, 0, 0, g_a, NULL, NULL, p_a, NULL, NULL, request));
}

int PEXTA_Read(int g_a, int p_a, int *request)
{
	return IN_GO(pextago_move("PEXTA_Read", 0, 0, 0, g_a, NULL, NULL, p_a, NULL, NULL, request));
}

int PEXTA_Write_section(logical transp, int g_a, int glo[], int ghi[], int p_a, pexta_size_t plo[], pexta_size_t phi[], int *request)
{
	return pextac_move_section("PEXTA_Write_section", 1, transp, g_a, glo, ghi, p_a, plo, phi, request);
}

int PEXTA_Read_section(logical transp, int g_a, int glo[], int ghi[], int p_a, pexta_size_t plo[], pexta_size_t phi[], int *request)
{
	return pextac_move_section("PEXTA_Read_section", 0, transp, g_a, glo, ghi, p_a, plo, phi, request);
}

int PEXTA_Probe(int request, int *compl_status) { return IN_GO(pextago_probe("PEXTA_Probe", request, compl_status)); }

int PEXTA_Wait(int request) { return IN_GO(pextago_wait("PEXTA_Wait", request)); }

void PEXTA_Flick(void) { IN_GO((pextago_flick("PEXTA_Flick"), 0)); }

int PEXTA_IRead(int g_a, int p_a, int *request) { return IN_GO(pextago_iread("PEXTA_IRead", g_a, p_a, request)); }

int PEXTA_Extend(int p_a, pexta_size_t edims[], pexta_size_t odims[], int *request)
{
	return IN_GO(pextago_extend("PEXTA_Extend", p_a, edims, odims, request));
}

void PEXTA_Set_debug(logical flag) { IN_GO((pextago_set_debug(flag != 0), 0)); }

void PEXTA_Print_internals(int p_a) { IN_GO((pextago_print("PEXTA_Print_internals", p_a), 0)); }

void PEXTA_Set_default_config(int numfiles, int numioprocs) { (void)numfiles, (void)numioprocs; }
