#include "tendril/io/fclib_file.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tendril/contact/contact_rows.hpp"
#include "tendril/io/hdf5_file.hpp"
#include "tendril/io/plain_hdf5.hpp"

namespace tendril {
namespace {

using contact::ExplicitDelassus;
using contact::Problem;
using Eigen::Index;
using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Triplets = std::vector<Eigen::Triplet<double>>;
using Sparse = Eigen::SparseMatrix<double>;
using RowSparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr std::int64_t compressed_columns = -1, compressed_rows = -2;
constexpr double most_entries = 1 << 25;  // of all blocks of M, dense: 256 MB, that is 5792 unknowns in one block

struct Shape {
  std::size_t rows = 0, columns = 0;
};

// Reads with checks; the first thing that is wrong ends it all.
class Reader {
 public:
  explicit Reader(const PlainHdf5& file) : file_(file) {}

  Numbers numbers(const std::string& path) {
    if (wrong_) return {};
    Result<Numbers> values = file_.numbers(path);
    if (!values) return wrong_ = values.error(), Numbers{};
    return std::move(values.value());
  }
  Numbers numbers(const std::string& path, std::size_t count) {
    Numbers values = numbers(path);
    expect(values.size() == count, path, fmt::format("has {} numbers in place of {}", values.size(), count));
    return values;
  }
  Integers integers(const std::string& path) {
    if (wrong_) return {};
    Result<Integers> values = file_.integers(path);
    if (!values) return wrong_ = values.error(), Integers{};
    return std::move(values.value());
  }
  std::int64_t integer(const std::string& path) {
    const Integers values = integers(path);
    expect(values.size() == 1, path, "must be one number");
    return values.size() == 1 ? values[0] : 0;
  }
  void expect(bool holds, const std::string& path, const std::string& complaint) {
    if (!holds && !wrong_) wrong_ = Error{file_.name(), path + " " + complaint};
  }
  void refuse_if_present(const std::string& path) {
    expect(wrong_ || !file_.has(path), path, "is there: problems with equality constraints are not read");
  }
  const std::optional<Error>& wrong() const { return wrong_; }

 private:
  const PlainHdf5& file_;
  std::optional<Error> wrong_;
};

struct StoredMatrix {
  std::int64_t nz = 0;
  Integers p, i;
  Numbers x;
};

StoredMatrix read_stored(const std::string& group, const Shape& shape, Reader& file) {
  const std::int64_t rows = file.integer(group + "/m"), columns = file.integer(group + "/n");
  file.expect(rows == std::int64_t(shape.rows) && columns == std::int64_t(shape.columns), group,
              fmt::format("is {} x {}; the vectors need {} x {}", rows, columns, shape.rows, shape.columns));
  return {file.integer(group + "/nz"), file.integers(group + "/p"), file.integers(group + "/i"),
          file.numbers(group + "/x")};
}

void read_triplets(const std::string& group, const StoredMatrix& stored, Triplets& entries, const Shape& shape,
                   Reader& file) {
  const auto count = std::size_t(stored.nz);
  file.expect(stored.p.size() >= count && stored.i.size() >= count && stored.x.size() >= count, group,
              fmt::format("has fewer than {} triplets", count));
  for (std::size_t k = 0; !file.wrong() && k < count; ++k) {
    const std::int64_t row = stored.p[k], column = stored.i[k];
    file.expect(row >= 0 && std::size_t(row) < shape.rows && column >= 0 && std::size_t(column) < shape.columns, group,
                fmt::format("has an entry in row {}, column {}", row, column));
    if (!file.wrong()) entries.emplace_back(int(row), int(column), stored.x[k]);
  }
}

// `lines` are columns or rows, and an entry's place in one must be below `places`.
void read_compressed(const std::string& group, const StoredMatrix& stored, Triplets& entries, std::size_t lines,
                     std::size_t places, Reader& file) {
  const Integers& p = stored.p;
  const std::size_t stored_entries = std::min(stored.i.size(), stored.x.size());
  file.expect(p.size() == lines + 1, group + "/p", fmt::format("has {} numbers in place of {}", p.size(), lines + 1));
  if (file.wrong()) return;
  file.expect(p.front() == 0 && std::ranges::is_sorted(p), group + "/p", "must begin with 0 and grow");
  file.expect(p.back() >= 0 && std::size_t(p.back()) <= stored_entries, group + "/p",
              fmt::format("ends with {}, but there are {} entries", p.back(), stored_entries));
  for (std::size_t line = 0; !file.wrong() && line < lines; ++line)
    for (auto k = std::size_t(p[line]); k < std::size_t(p[line + 1]) && !file.wrong(); ++k) {
      const std::int64_t place = stored.i[k];
      file.expect(place >= 0 && std::size_t(place) < places, group + "/i",
                  fmt::format("has {}; there are {}, counted from 0", place, places));
      const bool by_column = stored.nz == compressed_columns;
      if (!file.wrong())
        entries.emplace_back(int(by_column ? place : std::int64_t(line)), int(by_column ? std::int64_t(line) : place),
                             stored.x[k]);
    }
}

// The shape is that of vectors in the file, so it needs no more memory than these.
Triplets read_matrix(const std::string& group, const Shape& shape, Reader& file) {
  const StoredMatrix stored = read_stored(group, shape, file);
  Triplets entries;
  if (file.wrong()) return entries;
  if (stored.nz >= 0)
    read_triplets(group, stored, entries, shape, file);
  else if (stored.nz == compressed_columns)
    read_compressed(group, stored, entries, shape.columns, shape.rows, file);
  else if (stored.nz == compressed_rows)
    read_compressed(group, stored, entries, shape.rows, shape.columns, file);
  else
    file.expect(false, group + "/nz", fmt::format("is {}; it must be -1, -2 or a number of triplets", stored.nz));
  return entries;
}

Numbers read_friction(const std::string& group, Reader& file) {
  const std::int64_t dimension = file.integer(group + "/spacedim");
  file.expect(dimension == 3, group + "/spacedim",
              fmt::format("is {}; only problems in three dimensions are read", dimension));
  Numbers mu = file.numbers(group + "/vectors/mu");
  file.expect(mu.size() <= std::size_t(std::numeric_limits<int>::max()) / 3, group + "/vectors/mu",
              fmt::format("has {} numbers, more than can be indexed", mu.size()));
  return mu;
}

Sparse sparse_of(const Triplets& entries, const Shape& shape) {
  Sparse matrix(Index(shape.rows), Index(shape.columns));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::Map<const Eigen::VectorXd> mapped(const Numbers& values) { return {values.data(), Index(values.size())}; }

Result<AnyContactProblem> delassus_problem(const Sparse& w, const Eigen::VectorXd& b, const Numbers& mu) {
  Result<ExplicitDelassus> problem =
      ExplicitDelassus::create(w, b, mu, std::vector<contact::Law>(mu.size(), contact::Law::coulomb));
  if (!problem) return problem.error();
  return AnyContactProblem(std::move(problem.value()));
}

Result<AnyContactProblem> read_local(Reader& file) {
  file.refuse_if_present("fclib_local/V"), file.refuse_if_present("fclib_local/R");
  const Numbers mu = read_friction("fclib_local", file);
  const Shape shape = {3 * mu.size(), 3 * mu.size()};
  const Numbers q = file.numbers("fclib_local/vectors/q", shape.rows);
  const Triplets w = read_matrix("fclib_local/W", shape, file);
  if (file.wrong()) return *file.wrong();
  return delassus_problem(sparse_of(w, shape), mapped(q), mu);
}

// M v = H r + f, u = Hᵀ v + w. A block of M ends before each of `ends`, and it begins where the last one ends.
struct Global {
  Sparse m, h;
  Numbers f, w, mu;
  std::vector<std::size_t> ends;
};

// Behind unknowns across which nothing is coupled.
std::vector<std::size_t> block_ends(const Triplets& m, std::size_t unknowns) {
  std::vector<std::size_t> reach(unknowns), ends;
  for (std::size_t i = 0; i < unknowns; ++i) reach[i] = i;
  for (const Eigen::Triplet<double>& entry : m) {
    if (entry.value() == 0.0) continue;
    const auto [low, high] = std::minmax(entry.row(), entry.col());
    reach[std::size_t(low)] = std::max(reach[std::size_t(low)], std::size_t(high));
  }
  std::size_t last = 0;
  for (std::size_t i = 0; i < unknowns; ++i) {
    last = std::max(last, reach[i]);
    if (last == i) ends.push_back(i + 1);
  }
  return ends;
}

bool blocks_fit_in_memory(const std::vector<std::size_t>& ends) {
  double entries = 0.0, first = 0.0;
  for (const std::size_t end : ends) entries += (double(end) - first) * (double(end) - first), first = double(end);
  return entries <= most_entries;
}

template <class Take>
void for_each_block(const Global& global, Take&& take) {
  Index first = 0;
  for (const std::size_t end : global.ends) {
    const Index size = Index(end) - first;
    take(first, Eigen::MatrixXd(global.m.block(first, first, size, size)));
    first += size;
  }
}

Global global_from(Reader& file) {
  file.refuse_if_present("fclib_global/G");
  Global global;
  global.mu = read_friction("fclib_global", file);
  global.w = file.numbers("fclib_global/vectors/w", 3 * global.mu.size());
  global.f = file.numbers("fclib_global/vectors/f");
  const std::size_t unknowns = global.f.size(), rows = global.w.size();
  file.expect(unknowns <= std::size_t(std::numeric_limits<int>::max()), "fclib_global/vectors/f",
              fmt::format("has {} numbers, more than can be indexed", unknowns));
  const Triplets m = read_matrix("fclib_global/M", {unknowns, unknowns}, file),
                 h = read_matrix("fclib_global/H", {unknowns, rows}, file);
  if (file.wrong()) return global;
  global.ends = block_ends(m, unknowns);
  file.expect(blocks_fit_in_memory(global.ends), "fclib_global/M", "couples more unknowns than is read");
  if (file.wrong()) return global;
  global.m = sparse_of(m, {unknowns, unknowns}), global.h = sparse_of(h, {unknowns, rows});
  return global;
}

// Nothing if a contact touches more than two blocks.
std::optional<Problem> problem_by_blocks(const Global& global) {
  Problem problem;
  for_each_block(global, [&](Index first, const Eigen::MatrixXd& matrix) {
    problem.add_block(matrix, mapped(global.f).segment(first, matrix.rows()));
  });
  if (!contact::add_contacts(global.h.transpose(), global.w, global.mu, problem)) return {};
  return problem;
}

// M⁻¹; nothing if it has none.
std::optional<Sparse> inverse_of(const Global& global) {
  Triplets entries;
  bool definite = true;
  for_each_block(global, [&](Index first, const Eigen::MatrixXd& matrix) {
    const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
    definite = definite && factor.info() == Eigen::Success;
    const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
    for (Index c = 0; c < inverse.cols(); ++c)
      for (Index r = 0; r < inverse.rows(); ++r) entries.emplace_back(int(first + r), int(first + c), inverse(r, c));
  });
  if (!definite) return {};
  return sparse_of(entries, {global.f.size(), global.f.size()});
}

// At most as many as that: rows of W are coupled if their contacts touch the same block.
double entries_of_delassus(const Global& global) {
  const RowSparse h = global.h;
  std::vector<std::size_t> counted_for(global.w.size());  // end of the last block that counted a row of W
  double entries = 0.0;
  Index first = 0;
  for (const std::size_t end : global.ends) {
    double touching = 0.0;
    for (; first < Index(end); ++first)
      for (RowSparse::InnerIterator it(h, first); it; ++it)
        if (std::exchange(counted_for[std::size_t(it.col())], end) != end) ++touching;
    entries += touching * touching;
  }
  return entries;
}

// W = Hᵀ M⁻¹ H and b = Hᵀ M⁻¹ f + w.
Result<AnyContactProblem> problem_by_elimination(const Global& global) {
  if (entries_of_delassus(global) > 4.0 * most_entries)
    return Error{"fclib_global/H", "has more contacts on one block of M than is read"};
  const std::optional<Sparse> inverse = inverse_of(global);
  if (!inverse) return Error{"fclib_global/M", "is not positive definite"};
  const Sparse h = global.h, response = *inverse * h;
  const Eigen::VectorXd b = response.transpose() * mapped(global.f) + mapped(global.w);
  return delassus_problem(h.transpose() * response, b, global.mu);
}

Result<AnyContactProblem> read_global(Reader& file) {
  const Global global = global_from(file);
  if (file.wrong()) return *file.wrong();
  std::optional<Problem> problem = problem_by_blocks(global);
  if (!problem) return problem_by_elimination(global);
  if (Status status = contact::check(*problem); !status) return status.error();
  return AnyContactProblem(std::move(*problem));
}

Numbers flat(const contact::Impulses& rows) {
  Numbers out;
  for (const Eigen::Vector3d& row : rows) out.insert(out.end(), row.data(), row.data() + 3);
  return out;
}

void write_matrix(const std::string& group, const Sparse& matrix, Hdf5Writer& file) {
  const auto write = [&](const char* name, std::int64_t value) {
    const auto number = std::int32_t(value);
    file.integers(group + name, std::span(&number, 1));
  };
  const auto entries = std::size_t(matrix.nonZeros());
  write("/m", matrix.rows()), write("/n", matrix.cols());
  write("/nz", compressed_columns), write("/nzmax", matrix.nonZeros());
  file.integers(group + "/p", std::span<const std::int32_t>(matrix.outerIndexPtr(), std::size_t(matrix.cols()) + 1));
  file.integers(group + "/i", std::span<const std::int32_t>(matrix.innerIndexPtr(), entries));
  file.numbers(group + "/x", std::span(matrix.valuePtr(), entries));
}

}  // namespace

Result<AnyContactProblem> decode_fclib(std::span<const std::byte> bytes, const std::string& name) {
  const Result<PlainHdf5> opened = PlainHdf5::open(bytes, name);
  if (!opened) return opened.error();
  const bool local = opened.value().has("fclib_local");
  if (!local && !opened.value().has("fclib_global"))
    return Error{name, "is not an FCLIB file: it has neither fclib_local nor fclib_global"};
  Reader file(opened.value());
  Result<AnyContactProblem> problem = local ? read_local(file) : read_global(file);
  if (problem || file.wrong()) return problem;
  return Error{name, problem.error().message()};
}

Result<std::vector<std::byte>> encode_fclib(const ExplicitDelassus& problem, const contact::Solution* solution) {
  Numbers mu;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.law(i) != contact::Law::coulomb)
      return Error{"FCLIB", fmt::format("contact {} is a joint; a file of FCLIB cannot hold it here", i)};
    mu.push_back(problem.mu(i));
  }
  const Sparse w = problem.matrix();
  const Eigen::VectorXd q = problem.free_velocity();
  if (!q.allFinite() || !w.coeffs().allFinite()) return Error{"W", "is not finite"};
  const std::int32_t dimension = 3;
  Hdf5Writer file;
  file.integers("/fclib_local/spacedim", std::span(&dimension, 1));
  write_matrix("/fclib_local/W", w, file);
  file.numbers("/fclib_local/vectors/q", std::span(q.data(), std::size_t(q.size())));
  file.numbers("/fclib_local/vectors/mu", mu);
  file.fixed_text("/fclib_local/info/title", fmt::format("{} contacts", problem.size()));
  file.fixed_text("/fclib_local/info/description",
                  "u = W r + q [m/s, 1/kg, N s], three rows per contact, normal first");
  if (solution != nullptr) {
    file.numbers("/solution/u", flat(solution->u)), file.numbers("/solution/r", flat(solution->r));
  }
  return file.finish();
}

}  // namespace tendril
