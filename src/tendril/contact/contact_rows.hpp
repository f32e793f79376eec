// Contacts from the rows of one sparse H: each touches the blocks that its rows have entries in, two at most.
#pragma once

#include <Eigen/SparseCore>
#include <span>

#include "tendril/contact/problem.hpp"

namespace tendril::contact {

// Appends a contact for each mu to a problem that has its blocks: three rows of `h` (3 per contact, a column per
// unknown), three numbers of `drift`.
Status add_contacts(const Eigen::SparseMatrix<double, Eigen::RowMajor>& h, std::span<const double> drift,
                    std::span<const double> mu, Problem& problem);

}  // namespace tendril::contact
