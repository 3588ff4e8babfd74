/* pexta.c - the names of PEXTA in C that print and configure, and what they do; other programs here
 * call the other names: pexta FILE */
#include "../check.h"

int main(int argc, char **argv)
{
	int p, r, g;
	pexta_size_t dims[] = {20, 30}, req[] = {-1, -1};

	start(&argc, &argv);
	CHECK(argc == 2);
	CHECK(strcmp(PEXTA_Version(), "devel") == 0); /* before PEXTA_Init, too */
	CHECK(PEXTA_Init(-1, -1, -1, -1) == 0);
	g = matrix(20, 30, 0.25);
	PEXTA_Set_default_config(3, 2); /* an array has the same files as always: the test opens it */
	CHECK(PEXTA_Create(C_DBL, 2, dims, "plate", argv[1], PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	GA_Zero(g);
	PEXTA_Set_debug(1); /* one read and one flick are printed */
	CHECK(PEXTA_Read(g, p, &r) == 0);
	PEXTA_Flick();
	CHECK(PEXTA_Wait(r) == 0);
	PEXTA_Set_debug(0);
	CHECK(wrong(g, 20, 30, 0.25, 0) == 0);
	CHECK(PEXTA_Read(g, p, &r) == 0);
	PEXTA_Print_internals(p); /* with a request that is not done */
	PEXTA_Flick();
	CHECK(PEXTA_Wait(r) == 0);
	CHECK(PEXTA_Close(p) == 0 && PEXTA_Terminate() == 0);
	GA_Destroy(g);
	return end();
}
