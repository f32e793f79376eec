// Contacts as rows of one sparse H, 3 per contact with a column per unknown, and back: a contact touches the blocks
// that its rows have entries in, two at most.
#pragma once

#include <Eigen/SparseCore>
#include <span>

#include "tendril/contact/problem.hpp"

namespace tendril::contact {

Eigen::SparseMatrix<double> rows_of(const Problem& problem);

// Appends a contact for each mu, with three rows of `h` and three numbers of `drift`, to a problem that has its blocks.
Status add_contacts(const Eigen::SparseMatrix<double, Eigen::RowMajor>& h, std::span<const double> drift,
                    std::span<const double> mu, Problem& problem);

}  // namespace tendril::contact
