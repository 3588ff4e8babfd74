// mdspan.cpp - the functions of drx.hpp for std::mdspan, with the one of testdata/stub, because not
// every compiler has it yet.
#include <drx.hpp>

#include <cstdio>
#include <cstdlib>

template <class T> using matrix = std::mdspan<T, std::stub_extents<2>>;

template <class T> matrix<T> make(T *p, std::size_t rows, std::size_t cols, std::size_t s0, std::size_t s1)
{
	return {p, {{{rows, cols}}, {{s0, s1}}}};
}

#define CHECK(x) \
	do { \
		if (!(x)) { \
			std::printf("line %d: failed: %s (%s)\n", __LINE__, #x, drx_error()); \
			std::exit(1); \
		} \
	} while (0)

int main()
{
	auto a = drx::array::create("m", drx::dtype_of<std::int32_t>, {2, 3});
	const std::vector<std::int32_t> columns = {1, 4, 2, 5, 3, 6}; // column-major
	a.write({}, make(columns.data(), 2, 3, 1, 2));
	CHECK((a.read<std::int32_t>() == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
	std::vector<double> wide(12, -1); // the rows of a larger matrix, as another type
	a.read({}, make(wide.data() + 1, 2, 3, 6, 1));
	CHECK((wide == std::vector<double>{-1, 1, 2, 3, -1, -1, -1, 4, 5, 6, -1, -1}));
	std::int32_t part[2];
	a.read({{0, 2}, {2, 3}, {}}, make(part, 2, 1, 1, 1));
	CHECK(part[0] == 3 && part[1] == 6);
	a.close();
	return 0;
}
