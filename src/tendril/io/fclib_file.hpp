// Frictional contact problems in the HDF5 layout of FCLIB, the Friction Contact Library (.h5, .hdf5):
//
//   fclib_local/    u = W r + q; what is written, with W in compressed columns
//     spacedim      3
//     W/            a matrix
//     vectors/      q, 3 numbers per contact; mu, 1
//     info/         title, description, math_info: texts, of no consequence
//   fclib_global/   M v = H r + f, u = Hᵀ v + w; only read
//     spacedim, M/, H/ (a column per row of u), vectors/ with f, w and mu
//   solution/       u, r; of fclib_local, written if there is one
//   guesses/        not read
//
// A matrix of m x n is a group with whole numbers m, n, nz and nzmax, and with arrays p, i and x:
//
//   nz = -1       compressed columns: entries p[c] to p[c + 1] of column c are in rows i, with values x
//   nz = -2       compressed rows, likewise
//   nz >= 0       nz triplets: row p, column i, value x
//
// Three rows per contact, normal first, and the same signs as ours. Equality constraints (V, R and s, or G and b) are
// refused. A file is valid if all sizes agree, all indices are in range and the problem passes its own check.
//
// Unknowns of fclib_global are cut into blocks wherever M couples nothing across. If each contact touches two of them
// at most, as strands do, they are the blocks of a Problem; else, as for bodies with a diagonal M, v is eliminated.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/problem.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril {

using AnyContactProblem = std::variant<contact::Problem, contact::ExplicitDelassus>;

Result<AnyContactProblem> decode_fclib(std::span<const std::byte> bytes, const std::string& name);

// Refuses joints, which FCLIB has in another form.
Result<std::vector<std::byte>> encode_fclib(const contact::ExplicitDelassus& problem,
                                            const contact::Solution* solution = nullptr);

}  // namespace tendril
