// classes.cpp - drx.hpp: objects close what they open, exceptions carry codes, callbacks may throw.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <drx.hpp>

#define CHECK(x) \
	do { \
		if (!(x)) { \
			std::printf("%s:%d: failed: %s (%s)\n", __FILE__, __LINE__, #x, drx_error()); \
			std::exit(1); \
		} \
	} while (0)

template <class F> static int code_of(F f)
{
	try {
		f();
	} catch (const drx::error &e) {
		CHECK(e.what()[0] != 0);
		return e.code();
	}
	return DRX_OK;
}

static void elements()
{
	auto a = drx::array::create<std::int16_t>("a", {2, 3}, R"({"chunk": [2, 2], "dims": ["y", "x"]})");
	std::vector<std::int16_t> v(6);
	std::iota(v.begin(), v.end(), std::int16_t{1});
	a.write<std::int16_t>({}, v);
	CHECK(a.read<std::int16_t>() == v);
	CHECK((a.read<double>({{0, 1}, {2, 3}, {}}) == std::vector<double>{2, 3, 5, 6}));
	CHECK((a.read<float>({{0, 0}, {2, 3}, {1, 2}}) == std::vector<float>{1, 3, 4, 6}));
	std::array<std::int16_t, 6> columns{};
	a.read<std::int16_t>({}, columns.data(), {2, 4});
	CHECK((columns == std::array<std::int16_t, 6>{1, 4, 2, 5, 3, 6}));
	a.write<std::int16_t>({}, columns.data() + 5, {-2, -4});
	CHECK((a.get<std::int16_t>({0, 0}) == 6 && a.get<int>({1, 2}) == 1));
	a.set<std::int8_t>({0, 0}, -3);
	std::vector<std::int64_t> at{0, 0, 1, 2};
	std::vector<std::int16_t> two(2);
	a.gather<std::int16_t>(at, two);
	CHECK(two[0] == -3 && two[1] == 1);
	two[1] = 9;
	a.scatter<std::int16_t>(at, two);
	CHECK((a.get<std::int16_t>({1, 2}) == 9));
	a.fill<std::int16_t>({{1, 0}, {2, 3}, {}}, 4);
	CHECK((a.read<std::int16_t>({{1, 0}, {2, 3}, {}}) == std::vector<std::int16_t>{4, 4, 4}));
	CHECK(a.rank() == 2 && a.dtype() == DRX_INT16 && a.dim("x") == 1 && a.name() == "a");
	drx::section added = a.extend(1, 2, DRX_LOW);
	CHECK((added.lo == drx::index{0, -2} && added.hi == drx::index{2, 0} && added.size() == 4));
	CHECK((a.shape() == drx::index{2, 5} && a.chunk() == drx::index{2, 2}));
	a.set_attr("units", "\"mm\"");
	CHECK(a.attr("units") == "\"mm\"" && a.attrs() == "{\"units\":\"mm\"}");
	CHECK(code_of([&] { a.read<std::int8_t>(); }) == DRX_EDTYPE);
	CHECK(code_of([&] { a.get<std::int16_t>({5, 5}); }) == DRX_EBOUNDS);
	CHECK(code_of([&] { a.attr("none"); }) == DRX_ENOATTR);
#ifdef __cpp_lib_mdspan
	std::vector<std::int16_t> m(10);
	a.read({}, std::mdspan<std::int16_t, std::dextents<int, 2>, std::layout_left>(m.data(), 2, 5));
	CHECK(m[2 * 2] == -3);
#endif
	drx::array b = std::move(a);
	CHECK(a.native() == 0 && b.rank() == 2);
	b.close();
	CHECK(code_of([&] { b.rank(); }) == DRX_EHANDLE);
	CHECK(code_of([&] { b.close(); }) == DRX_EHANDLE);
}

static void lifetimes()
{
	{
		auto a = drx::array::open("a", DRX_WRITE);
		a.extend(0, 1);
	} // commits
	CHECK(drx::array::open("a").shape()[0] == 3);
	try {
		auto a = drx::array::open("a", DRX_WRITE);
		a.extend(0, 1);
		throw 1;
	} catch (int) {
	} // discards
	CHECK(drx::array::open("a").shape()[0] == 3);
	auto a = drx::array::open("a", DRX_WRITE);
	CHECK(code_of([] { drx::array::open("a", DRX_WRITE); }) == DRX_ELOCKED);
	a = drx::array::open("a");
	a.discard();
}

static void callbacks()
{
	auto a = drx::array::open("a", DRX_WRITE);
	int parts = 0;
	a.walk({}, [&](const drx::section &s, std::int64_t) {
		parts += static_cast<int>(s.size());
	});
	CHECK(parts == 15);
	parts = 0;
	a.walk({}, [&](const drx::section &, std::int64_t) { return ++parts == 2; }, {1, 1});
	CHECK(parts == 2);
	bool caught = false;
	try {
		a.walk({}, [](const drx::section &, std::int64_t) { throw std::string("mine"); });
	} catch (const std::string &s) {
		caught = s == "mine";
	}
	CHECK(caught);
	caught = false;
	try {
		a.verify([](std::int64_t, std::int64_t) -> bool { throw 7; });
	} catch (int n) {
		caught = n == 7;
	}
	CHECK(caught);
	CHECK(a.verify().find("\"damaged\":[]") != std::string::npos);
	CHECK(code_of([&] { a.compact([](std::int64_t, std::int64_t) { return true; }); }) == DRX_ECANCELLED);
	a.compact();
	a.recompress("zstd:3");
	caught = false;
	try {
		a.recompress("none", [](std::int64_t, std::int64_t) -> bool { throw 7; });
	} catch (int n) {
		caught = n == 7;
	}
	CHECK(caught);
	a.recompress("none");
	auto reader = drx::array::open("a");
	a.extend(0, 1);
	a.sync();
	int changes = 0;
	reader.follow(20, [&](const char *) { return ++changes == 1; });
	CHECK(changes == 1 && reader.shape()[0] == 4 && !reader.refresh() && reader.poll(0) == "[]");
	CHECK(a.stats(R"({"functions": ["count"]})").find(R"("name":"count")") != std::string::npos);
	auto turned = drx::array::create<double>("turned", {5, 4});
	turned.relayout(a, R"({"order": [1, 0]})");
	CHECK((turned.get<double>({2, 0}) == a.get<std::int16_t>({0, 0})));
}

static void datasets()
{
	auto d = drx::dataset::create("set");
	auto time = d.create_variable<double>("time", {0}, R"({"dims": ["time"]})");
	auto rain = d.create_variable<float>("rain", {0, 2}, R"({"dims": ["time", "x"]})");
	auto [lo, hi] = d.extend("time", 3);
	CHECK(lo == 0 && hi == 3);
	time.write<double>({}, std::vector<double>{10, 20, 30});
	rain.fill<float>({}, 1.5F);
	CHECK(rain.select("time=19") == "[[[1,2,1]],[[0,2,1]]]");
	d.set_attr("", "title", "\"t\"");
	d.sync();
	auto r = drx::dataset::open("set");
	CHECK((r.coordinate("time") == std::vector<double>{10, 20, 30}));
	CHECK((r.variable("rain").read<float>() == std::vector<float>(6, 1.5F)));
	CHECK(r.attrs() == "{\"title\":\"t\"}" && r.dim("time").second == 3);
	CHECK(code_of([&] { r.variable("none"); }) == DRX_EDATASET);
}

static void files()
{
	CHECK(drx::export_file("turned", "turned.npy").find("\"format\":\"npy\"") != std::string::npos);
	int calls = 0;
	auto made = drx::import_files("again", {"turned.npy", "turned.npy"}, R"({"append": "time", "as": "float32"})",
	                              [&](std::int64_t, std::int64_t) { return ++calls < 0; });
	CHECK(made.find("\"by\":2") != std::string::npos && calls > 0);
	CHECK((drx::array::open("again").shape() == drx::index{2, 5, 4}));
	CHECK(code_of([&] { drx::import_files("again", {}); }) == DRX_EINVAL);
	CHECK(code_of([&] { drx::export_file("turned", "turned.npy"); }) == DRX_EEXIST);
}

static void wholes()
{
	auto one = drx::array::create<std::int16_t>("one", {3}, R"({"dims": ["x"], "attrs": {"labels/0/0": ["c", "a", "b"]}})");
	one.write<std::int16_t>({}, std::vector<std::int16_t>{1, 2, 3});
	one.rename_dim(0, "town");
	CHECK(one.dim("town") == 0);
	one.close();
	CHECK(drx::sort("one", "two", "town").find("\"state\":\"copied\"") != std::string::npos);
	CHECK((drx::array::open("two").read<std::int16_t>() == std::vector<std::int16_t>{2, 3, 1}));
	drx::cut("two", "three", R"({"sel": ["town=b"]})");
	CHECK((drx::array::open("three").read<std::int16_t>() == std::vector<std::int16_t>{2, 1}));
	CHECK(drx::diff("one", "one").find("\"same\":true") != std::string::npos);
	CHECK(code_of([] { drx::diff("one", "none"); }) == DRX_ENOTEXIST);
	CHECK(code_of([] { drx::set_locks("none"); }) == DRX_EINVAL);
	auto d = drx::dataset::create("wholes");
	d.create_variable<float>("t2m", {2}, R"({"dims": ["x"]})");
	d.rename("t2m", "temperature");
	CHECK(d.info().find("temperature") != std::string::npos);
}

int main()
{
	elements();
	lifetimes();
	callbacks();
	datasets();
	files();
	CHECK(drx::exists("turned"));
	drx::rename("turned", "b");
	drx::remove("b");
	CHECK(!drx::exists("b"));
	wholes();
	return 0;
}
