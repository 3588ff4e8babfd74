// grow.cpp - images of a radar: the array grows by one at a time, a reader follows, and everything
// is there afterwards.
//
//     c++ -std=c++20 grow.cpp $(pkg-config --cflags --libs drx) -o grow && ./grow
#include <iostream>

#include <drx.hpp>

int main()
try {
	auto radar = drx::array::create<std::int16_t>("radar", {0, 100, 200}, R"({"dims": ["time", "y", "x"], "fill": -1})");
	auto reader = drx::array::open("radar");
	std::vector<std::int16_t> image(100 * 200);
	for (std::int16_t t = 0; t < 3; t++) {
		image[50 * 200 + 7] = static_cast<std::int16_t>(100 * t);
		drx::section added = radar.extend(0, 1);
		radar.write<std::int16_t>(added, image);
		radar.sync(); // commits: durable, and visible to others
	}
	int seen = 0;
	reader.follow(10, [&](const char *change) {
		std::cout << "the reader sees " << change << '\n';
		return ++seen == 3; // enough
	});
	radar.extend(2, 10, DRX_LOW); // to the west: x begins at -10 now
	radar.close();

	auto again = drx::array::open("radar");
	drx::section bounds = again.bounds();
	std::cout << "x from " << bounds.lo[2] << " to " << bounds.hi[2] << "; pixel 50,7:";
	for (double v : again.read<double>({{0, 50, 7}, {3, 51, 8}, {}})) // any type that has every value
		std::cout << ' ' << v;
	std::cout << '\n';
} catch (const drx::error &e) {
	std::cerr << "grow: " << e.what() << '\n';
	return 1;
}
