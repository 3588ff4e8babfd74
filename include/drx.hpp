// drx.hpp - DRX for C++20: drx.h with classes that close what they open and functions that throw.
//
//     auto a = drx::array::create<std::int16_t>("radar", {0, 512, 512}, R"({"dims": ["time", "y", "x"]})");
//     drx::section added = a.extend(0, 1);
//     a.write<std::int16_t>(added, image);            // std::vector, std::array, std::span: dense, row-major
//     a.close();                                      // commits; throws if that fails
//     auto pixel = a.read<std::int16_t>({{0, 100, 7}, {3, 101, 8}});
//
// drx.h has the details: what a section and a buffer is, the options, the codes. Every function
// throws drx::error after a failed call. A destructor commits and closes like close(), without a
// word if that fails; if an exception is under way that was not when the object was made, it
// discards the changes instead. An exception that leaves a callback ends the call, which throws it
// again. Objects can be moved, not copied. Link with -ldrx.
#ifndef DRX_HPP
#define DRX_HPP

#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>

#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

#include "drx.h"

namespace drx {

// An error is a failed call: its code is one of DRX_E..., its text the message.
class error : public std::runtime_error {
public:
	explicit error(int code) : std::runtime_error(drx_error()), code_(code) {}
	int code() const noexcept { return code_; }

private:
	int code_;
};

// check throws after a failed call.
inline void check(int code)
{
	if (code != DRX_OK)
		throw error(code);
}

// dtype_of is the number of the element type of T. There is none for other types.
template <class T> inline constexpr int dtype_of = DRX_RAW;
template <> inline constexpr int dtype_of<bool> = DRX_BOOL;
template <> inline constexpr int dtype_of<std::int8_t> = DRX_INT8;
template <> inline constexpr int dtype_of<std::int16_t> = DRX_INT16;
template <> inline constexpr int dtype_of<std::int32_t> = DRX_INT32;
template <> inline constexpr int dtype_of<std::int64_t> = DRX_INT64;
template <> inline constexpr int dtype_of<std::uint8_t> = DRX_UINT8;
template <> inline constexpr int dtype_of<std::uint16_t> = DRX_UINT16;
template <> inline constexpr int dtype_of<std::uint32_t> = DRX_UINT32;
template <> inline constexpr int dtype_of<std::uint64_t> = DRX_UINT64;
template <> inline constexpr int dtype_of<float> = DRX_FLOAT32;
template <> inline constexpr int dtype_of<double> = DRX_FLOAT64;
template <> inline constexpr int dtype_of<std::complex<float>> = DRX_COMPLEX64;
template <> inline constexpr int dtype_of<std::complex<double>> = DRX_COMPLEX128;

template <class T>
concept element = dtype_of<std::remove_cv_t<T>> != DRX_RAW;

using index = std::vector<std::int64_t>;

// A section is a half-open box of indices with steps. An empty list means the bounds of the array,
// or steps of 1.
struct section {
	index lo, hi, step;

	// shape returns the number of indices per dimension of a section whose lo and hi are given.
	index shape() const
	{
		index n(lo.size());
		for (std::size_t d = 0; d < n.size(); d++) {
			std::int64_t by = step.empty() ? 1 : step[d];
			n[d] = hi[d] <= lo[d] ? 0 : (hi[d] - lo[d] + by - 1) / by;
		}
		return n;
	}

	// size returns the number of elements of a section whose lo and hi are given.
	std::size_t size() const
	{
		std::size_t all = 1;
		for (std::int64_t n : shape())
			all *= static_cast<std::size_t>(n);
		return all;
	}
};

namespace detail {

inline std::string take(char *text)
{
	std::string s = text ? text : "";
	drx_free(text);
	return s;
}

inline const std::int64_t *data(const index &x) { return x.empty() ? nullptr : x.data(); }

// A caller keeps the exception of a callback until the call has returned.
template <class F> struct caller {
	F &f;
	std::exception_ptr thrown{};

	template <class... A> int call(A &&...a) noexcept
	{
		try {
			if constexpr (std::is_void_v<std::invoke_result_t<F &, A...>>)
				return f(std::forward<A>(a)...), 0;
			else
				return f(std::forward<A>(a)...) ? 1 : 0;
		} catch (...) {
			thrown = std::current_exception();
			return 1;
		}
	}

	void finish(int code)
	{
		if (thrown)
			std::rethrow_exception(thrown);
		check(code);
	}
};

// A progress is what drx.h wants for an optional callback.
struct progress {
	const std::function<bool(std::int64_t, std::int64_t)> *f;
	std::exception_ptr thrown{};

	static int call(void *self, std::int64_t done, std::int64_t total) noexcept
	{
		auto *p = static_cast<progress *>(self);
		try {
			return (*p->f)(done, total) ? 1 : 0;
		} catch (...) {
			p->thrown = std::current_exception();
			return 1;
		}
	}
	drx_progress function() const { return *f ? call : nullptr; }
	void finish(int code)
	{
		if (thrown)
			std::rethrow_exception(thrown);
		check(code);
	}
};

// A handle is one that the object closes.
template <auto Close, auto Discard> class handle {
public:
	handle() = default;
	explicit handle(std::uint64_t h) : h_(h), exceptions_(std::uncaught_exceptions()) {}
	handle(handle &&o) noexcept : h_(std::exchange(o.h_, 0)), exceptions_(o.exceptions_) {}
	handle &operator=(handle &&o) noexcept
	{
		std::swap(h_, o.h_);
		std::swap(exceptions_, o.exceptions_);
		return *this;
	}
	~handle()
	{
		if (h_)
			(void)(std::uncaught_exceptions() > exceptions_ ? Discard : Close)(h_);
	}
	void close() { check(Close(std::exchange(h_, 0))); }
	void discard() { check(Discard(std::exchange(h_, 0))); }
	std::uint64_t get() const noexcept { return h_; }

private:
	std::uint64_t h_ = 0;
	int exceptions_ = 0;
};

} // namespace detail

// report is a callback of long calls: how much is done of a total (-1: unknown); true cancels the
// call.
using report = std::function<bool(std::int64_t done, std::int64_t total)>;

// The functions on the elements and attributes of an open array. It is the base of array, which
// closes it, and the array of a variable, which its dataset closes.
class array_view {
public:
	explicit array_view(drx_array a) : a_(a) {}

	drx_array native() const noexcept { return a_; }

	int rank() const
	{
		int n;
		check(drx_rank(native(), &n));
		return n;
	}
	int dtype() const
	{
		int t;
		check(drx_dtype(native(), &t));
		return t;
	}
	section bounds() const
	{
		int n = rank();
		section s = empty(n);
		check(drx_bounds(native(), n, s.lo.data(), s.hi.data()));
		return s;
	}
	index shape() const { return bounds().shape(); }
	index chunk() const
	{
		index c(static_cast<std::size_t>(rank()));
		check(drx_chunk(native(), static_cast<int>(c.size()), c.data()));
		return c;
	}
	int dim(const std::string &name) const
	{
		int d;
		check(drx_dim(native(), name.c_str(), &d));
		return d;
	}
	std::string name() const { return text(drx_name); }
	std::string info() const { return text(drx_info); }
	std::string history() const { return text(drx_history); }
	std::string snapshot() const { return text(drx_snapshot); }

	// Elements. Buffers are dense and row-major, or have strides in bytes.
	template <element T> void read(const section &s, std::span<T> to) const
	{
		check(drx_read(native(), rank(), detail::data(s.lo), detail::data(s.hi), detail::data(s.step), dtype_of<T>, to.data(),
			static_cast<std::int64_t>(to.size_bytes()), nullptr));
	}
	template <element T> void read(const section &s, T *to, const index &strides) const
	{
		check(drx_read(native(), rank_of(strides), detail::data(s.lo), detail::data(s.hi), detail::data(s.step), dtype_of<T>, to,
			DRX_UNCHECKED, strides.data()));
	}
	template <element T> std::vector<T> read(const section &s = {}) const
	{
		static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory: read into a std::span<bool>");
		section all = resolve(s);
		std::vector<T> to(all.size());
		read(all, std::span<T>(to));
		return to;
	}
	template <element T> void write(const section &s, std::span<const T> from)
	{
		check(drx_write(native(), rank(), detail::data(s.lo), detail::data(s.hi), detail::data(s.step), dtype_of<T>, from.data(),
			static_cast<std::int64_t>(from.size_bytes()), nullptr));
	}
	template <element T> void write(const section &s, const T *from, const index &strides)
	{
		check(drx_write(native(), rank_of(strides), detail::data(s.lo), detail::data(s.hi), detail::data(s.step), dtype_of<T>, from,
			DRX_UNCHECKED, strides.data()));
	}
#ifdef __cpp_lib_mdspan
	template <element T, class E, class L, class A> void read(const section &s, std::mdspan<T, E, L, A> to) const
	{
		read(s, to.data_handle(), strides_of(to));
	}
	template <class T, class E, class L, class A>
		requires element<std::remove_const_t<T>>
	void write(const section &s, std::mdspan<T, E, L, A> from)
	{
		write<std::remove_const_t<T>>(s, from.data_handle(), strides_of(from));
	}
#endif
	template <element T> void fill(const section &s, T value)
	{
		check(drx_fill(native(), rank(), detail::data(s.lo), detail::data(s.hi), detail::data(s.step), dtype_of<T>, &value));
	}
	template <element T> T get(std::span<const std::int64_t> at) const
	{
		T value;
		check(drx_get(native(), static_cast<int>(at.size()), at.data(), dtype_of<T>, &value));
		return value;
	}
	template <element T> T get(std::initializer_list<std::int64_t> at) const
	{
		return get<T>(std::span<const std::int64_t>(at.begin(), at.size()));
	}
	template <element T> void set(std::span<const std::int64_t> at, T value)
	{
		check(drx_set(native(), static_cast<int>(at.size()), at.data(), dtype_of<T>, &value));
	}
	template <element T> void set(std::initializer_list<std::int64_t> at, T value)
	{
		set<T>(std::span<const std::int64_t>(at.begin(), at.size()), value);
	}
	// gather and scatter: indices has rank numbers per element.
	template <element T> void gather(std::span<const std::int64_t> indices, std::span<T> to) const
	{
		check(drx_gather(native(), rank(), points(indices, to.size()), indices.data(), dtype_of<T>, to.data()));
	}
	template <element T> void scatter(std::span<const std::int64_t> indices, std::span<const T> from)
	{
		check(drx_scatter(native(), rank(), points(indices, from.size()), indices.data(), dtype_of<T>, from.data()));
	}

	// Attributes, as JSON.
	std::string attrs() const { return text(drx_attrs); }
	std::string attr(const std::string &name) const
	{
		char *json;
		check(drx_attr(native(), name.c_str(), &json));
		return detail::take(json);
	}
	void set_attr(const std::string &name, const std::string &json) { check(drx_set_attr(native(), name.c_str(), json.c_str())); }
	void delete_attr(const std::string &name) { check(drx_delete_attr(native(), name.c_str())); }

	// walk calls f(const section &, std::int64_t number) for the chunks of a section, or for tiles;
	// true ends it.
	template <class F> void walk(const section &s, F f, const index &tile = {}, bool written = false) const
	{
		detail::caller<F> c{f};
		check_end(drx_walk(native(), rank(), detail::data(s.lo), detail::data(s.hi), detail::data(tile), written,
			[](void *user, int n, const std::int64_t *lo, const std::int64_t *hi, std::int64_t number) -> int {
				return static_cast<detail::caller<F> *>(user)->call(section{index(lo, lo + n), index(hi, hi + n), {}}, number);
			}, &c), c);
	}
	// verify returns the report; it throws DRX_ECORRUPT if something is damaged.
	std::string verify(const report &f = {}) const
	{
		detail::progress p{&f};
		char *json = nullptr;
		int code = drx_verify(native(), p.function(), &p, &json);
		std::string all = detail::take(json);
		p.finish(code);
		return all;
	}
	// select returns the indices that conditions select, as JSON.
	std::string select(const std::string &conditions, bool exact = false) const
	{
		char *json;
		check(drx_select(native(), conditions.c_str(), exact, &json));
		return detail::take(json);
	}

protected:
	static section empty(int n) { return {index(static_cast<std::size_t>(n)), index(static_cast<std::size_t>(n)), {}}; }
	static int rank_of(const index &strides) { return static_cast<int>(strides.size()); }

	std::string text(int (*f)(drx_array, char **)) const
	{
		char *s;
		check(f(native(), &s));
		return detail::take(s);
	}
	section resolve(section s) const
	{
		if (s.lo.empty() || s.hi.empty()) {
			section all = bounds();
			if (s.lo.empty())
				s.lo = all.lo;
			if (s.hi.empty())
				s.hi = all.hi;
		}
		return s;
	}
	std::int64_t points(std::span<const std::int64_t> indices, std::size_t n) const
	{
		if (indices.size() != n * static_cast<std::size_t>(rank()))
			throw std::invalid_argument("drx: the indices are not rank numbers per element");
		return static_cast<std::int64_t>(n);
	}
	// check_end throws the exception of a callback, or after an error; a callback that ends its
	// call is no error.
	template <class C> static void check_end(int code, C &c)
	{
		c.finish(code == DRX_ECANCELLED ? DRX_OK : code);
	}
#ifdef __cpp_lib_mdspan
	template <class M> static index strides_of(const M &m)
	{
		index s(m.rank());
		for (std::size_t d = 0; d < s.size(); d++)
			s[d] = static_cast<std::int64_t>(m.stride(d) * sizeof(typename M::element_type));
		return s;
	}
#endif
	drx_array a_;
};

// An array is an open array.
class array : public array_view {
public:
	static array open(const std::string &name, int mode = DRX_READ, const std::string &options = "")
	{
		drx_array a;
		check(drx_open(name.c_str(), mode, options.c_str(), &a));
		return array(a);
	}
	static array create(const std::string &name, int dtype, const index &shape, const std::string &options = "")
	{
		drx_array a;
		check(drx_create(name.c_str(), dtype, static_cast<int>(shape.size()), shape.data(), options.c_str(), &a));
		return array(a);
	}
	template <element T> static array create(const std::string &name, const index &shape, const std::string &options = "")
	{
		return create(name, dtype_of<T>, shape, options);
	}

	void close() { a_ = 0, h_.close(); }
	void discard() { a_ = 0, h_.discard(); }
	void sync() { check(drx_sync(a_)); }

	// Growing and shrinking. The result is the new section.
	section extend(int dim, std::int64_t by, int side = DRX_HIGH) { return grow(drx_extend, dim, by, side); }
	section reserve(int dim, std::int64_t by, int side = DRX_HIGH) { return grow(drx_reserve, dim, by, side); }
	section reserve(const std::string &key, int dim, std::int64_t by, int side = DRX_HIGH)
	{
		section s = empty(rank());
		check(drx_reserve_key(a_, key.c_str(), dim, by, side, static_cast<int>(s.lo.size()), s.lo.data(), s.hi.data()));
		return s;
	}
	void shrink(int dim, std::int64_t by, int side = DRX_HIGH) { check(drx_shrink(a_, dim, by, side)); }
	int add_dim(const std::string &name = "")
	{
		int dim;
		check(drx_add_dim(a_, name.c_str(), &dim));
		return dim;
	}
	void rename_dim(int dim, const std::string &name) { check(drx_rename_dim(a_, dim, name.c_str())); }
	void compact(const report &f = {})
	{
		detail::progress p{&f};
		p.finish(drx_compact(a_, p.function(), &p));
	}
	// recompress gives the array another codec, "none" none.
	void recompress(const std::string &codec, const report &f = {})
	{
		detail::progress p{&f};
		p.finish(drx_recompress(a_, codec.c_str(), p.function(), &p));
	}
	// stats computes statistics as drx_stats does, and returns them as JSON.
	std::string stats(const std::string &options, const report &f = {})
	{
		detail::progress p{&f};
		char *json = nullptr;
		p.finish(drx_stats(a_, options.c_str(), p.function(), &p, &json));
		return detail::take(json);
	}
	// relayout copies another array into this one and returns what that took, as JSON.
	std::string relayout(const array_view &src, const std::string &options = "", const report &f = {})
	{
		detail::progress p{&f};
		char *stats = nullptr;
		p.finish(drx_relayout(a_, src.native(), options.c_str(), p.function(), &p, &stats));
		return detail::take(stats);
	}

	// What others commit.
	bool refresh()
	{
		int changed;
		check(drx_refresh(a_, &changed));
		return changed != 0;
	}
	std::string poll(double timeout)
	{
		char *json;
		check(drx_poll(a_, timeout, &json));
		return detail::take(json);
	}
	// follow calls f(const char *change) until it returns true or so many seconds have passed.
	template <class F> void follow(double timeout, F f)
	{
		detail::caller<F> c{f};
		check_end(drx_follow(a_, timeout,
			[](void *user, const char *change) -> int { return static_cast<detail::caller<F> *>(user)->call(change); }, &c), c);
	}

private:
	explicit array(drx_array a) : array_view(a), h_(a) {}

public:
	array(array &&o) noexcept : array_view(std::exchange(o.a_, 0)), h_(std::move(o.h_)) {}
	array &operator=(array &&o) noexcept
	{
		std::swap(a_, o.a_);
		h_ = std::move(o.h_);
		return *this;
	}

private:
	section grow(int (*f)(drx_array, int, std::int64_t, int, int, std::int64_t *, std::int64_t *), int dim, std::int64_t by, int side)
	{
		section s = empty(rank());
		check(f(a_, dim, by, side, static_cast<int>(s.lo.size()), s.lo.data(), s.hi.data()));
		return s;
	}

	detail::handle<drx_close, drx_discard> h_;
};

// A dataset is an open dataset. The arrays of its variables are closed with it.
class dataset {
public:
	static dataset open(const std::string &folder, int mode = DRX_READ, const std::string &options = "")
	{
		drx_dataset d;
		check(drx_dataset_open(folder.c_str(), mode, options.c_str(), &d));
		return dataset(d);
	}
	static dataset create(const std::string &folder, const std::string &options = "")
	{
		drx_dataset d;
		check(drx_dataset_create(folder.c_str(), options.c_str(), &d));
		return dataset(d);
	}

	drx_dataset native() const noexcept { return h_.get(); }
	void close() { h_.close(); }
	void discard() { h_.discard(); }
	void sync() { check(drx_dataset_sync(native())); }
	void refresh() { check(drx_dataset_refresh(native())); }
	void release() { check(drx_dataset_release(native())); }
	void prepare() { check(drx_dataset_prepare(native())); }
	// rename gives a variable or a dimension another name; it closes the arrays of all variables, as
	// release does.
	void rename(const std::string &name, const std::string &new_name)
	{
		check(drx_dataset_rename(native(), name.c_str(), new_name.c_str()));
	}
	std::string info() const
	{
		char *json;
		check(drx_dataset_info(native(), &json));
		return detail::take(json);
	}
	array_view variable(const std::string &name)
	{
		drx_array a;
		check(drx_dataset_variable(native(), name.c_str(), &a));
		return array_view(a);
	}
	// create_variable makes a variable; without a shape its dimensions exist already.
	template <element T> array_view create_variable(const std::string &name, const index &shape, const std::string &options)
	{
		drx_array a;
		check(drx_dataset_create_variable(native(), name.c_str(), dtype_of<T>, static_cast<int>(shape.size()), detail::data(shape),
			options.c_str(), &a));
		return array_view(a);
	}
	void create_group(const std::string &group) { check(drx_dataset_create_group(native(), group.c_str())); }
	// extend and dim return the indices [first, second).
	std::pair<std::int64_t, std::int64_t> extend(const std::string &dim, std::int64_t by, int side = DRX_HIGH)
	{
		std::pair<std::int64_t, std::int64_t> r;
		check(drx_dataset_extend(native(), dim.c_str(), by, side, &r.first, &r.second));
		return r;
	}
	std::pair<std::int64_t, std::int64_t> dim(const std::string &name) const
	{
		std::pair<std::int64_t, std::int64_t> r;
		check(drx_dataset_dim(native(), name.c_str(), &r.first, &r.second));
		return r;
	}
	std::vector<double> coordinate(const std::string &dim_name) const
	{
		auto [lo, hi] = dim(dim_name);
		std::vector<double> values(static_cast<std::size_t>(hi - lo));
		check(drx_dataset_coordinate(native(), dim_name.c_str(), lo, hi, values.data()));
		return values;
	}
	std::string attrs(const std::string &group = "") const
	{
		char *json;
		check(drx_dataset_attrs(native(), group.c_str(), &json));
		return detail::take(json);
	}
	void set_attr(const std::string &group, const std::string &name, const std::string &json)
	{
		check(drx_dataset_set_attr(native(), group.c_str(), name.c_str(), json.c_str()));
	}

private:
	explicit dataset(drx_dataset d) : h_(d) {}
	detail::handle<drx_dataset_close, drx_dataset_discard> h_;
};

// import_files imports files of other formats into an array or a dataset, and returns what was
// made, as JSON. The options are those of drx_import.
inline std::string import_files(const std::string &dst, const std::vector<std::string> &files, const std::string &options = "",
                                const report &f = {})
{
	std::vector<const char *> names;
	for (const auto &file : files)
		names.push_back(file.c_str());
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_import(dst.c_str(), static_cast<int>(names.size()), names.data(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}

// export_file writes an array or a dataset to a file of another format, and returns what was
// written, as JSON. The options are those of drx_export.
inline std::string export_file(const std::string &src, const std::string &dst, const std::string &options = "", const report &f = {})
{
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_export(src.c_str(), dst.c_str(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}

// cut, sort, coarsen, regrid and diff return the JSON of drx_cut and so on, and have their options.
inline std::string cut(const std::string &src, const std::string &dst, const std::string &options, const report &f = {})
{
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_cut(src.c_str(), dst.c_str(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}
inline std::string coarsen(const std::string &src, const std::string &dst, const std::string &options, const report &f = {})
{
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_coarsen(src.c_str(), dst.c_str(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}
inline std::string regrid(const std::string &src, const std::string &dst, const std::string &options, const report &f = {})
{
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_regrid(src.c_str(), dst.c_str(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}
inline std::string sort(const std::string &src, const std::string &dst, const std::string &by, const std::string &options = "",
                        const report &f = {})
{
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_sort(src.c_str(), dst.c_str(), by.c_str(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}
inline std::string diff(const std::string &first, const std::string &second, const std::string &options = "", const report &f = {})
{
	detail::progress p{&f};
	char *json = nullptr;
	p.finish(drx_diff(first.c_str(), second.c_str(), options.c_str(), p.function(), &p, &json));
	return detail::take(json);
}

inline void set_locks(const std::string &kind) { check(drx_set_locks(kind.c_str())); }
inline bool exists(const std::string &name)
{
	int found;
	check(drx_exists(name.c_str(), &found));
	return found != 0;
}
inline void remove(const std::string &name) { check(drx_remove(name.c_str())); }
inline void rename(const std::string &from, const std::string &to) { check(drx_rename(from.c_str(), to.c_str())); }

} // namespace drx

#endif // DRX_HPP
