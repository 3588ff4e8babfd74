// header.cpp - drx.h is a header for C++ too, of any standard.
#include <drx.h>

int main()
{
	drx_array a = 0;
	return drx_close(a) == DRX_EHANDLE && drx_error()[0] ? 0 : 1;
}
