// u = W r + b without W: impulses act on the velocities of the blocks, and contacts read those
// (docs/theory/contact.md, "Two forms of the problem").
//
// What an impulse does to a block is a sum of columns: of the inverse of its matrix, one per unknown that the contact
// touches, or of M^-1 Hᵀ, three per contact. Per block that form is taken which is smaller.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

class VelocitySpace {
 public:
  // Of a problem whose check() is ok. False in is_definite(): the matrix of a block is not positive definite.
  explicit VelocitySpace(const Problem& problem);

  bool is_definite() const { return is_definite_; }
  std::size_t size() const { return contacts_.size(); }
  double mu(std::size_t contact) const { return contacts_[contact].mu; }
  Law law(std::size_t contact) const { return contacts_[contact].law; }
  const Eigen::Matrix3d& diagonal(std::size_t contact) const { return diagonal_[contact]; }

  // For Gauss-Seidel. Changes leave round-off behind: set the impulses anew now and then.
  void set_impulses(const Impulses& r);
  Eigen::Vector3d velocity(std::size_t contact) const { return velocity_of(contact, velocity_.data()); }
  void add_impulse(std::size_t contact, const Eigen::Vector3d& change) {
    const Row& row = contacts_[contact];
    for (std::uint32_t s = row.first_response; s < row.end_response; ++s) {
      const Response& response = responses_[s];
      const double amount = response.coefficient.dot(change);
      double* const v = velocity_.data() + response.block_first;
      const double* const column = columns_.data() + response.column;
      for (std::uint32_t k = 0; k < response.size; ++k) v[k] += amount * column[k];
    }
  }

  // u = W r + b for all, in parallel, the same bits for any number of threads.
  void apply(const Impulses& r, Impulses& u) const;

  // End velocities of all blocks under the impulses.
  Eigen::VectorXd velocities(const Impulses& r) const;

 private:
  struct Reading {              // one coefficient of H
    std::uint32_t unknown = 0;  // of all
    Eigen::Vector3d coefficient;
  };
  struct Response {  // v += (coefficient . impulse) column
    std::size_t column = 0;
    std::uint32_t block_first = 0, size = 0;
    Eigen::Vector3d coefficient;
  };
  struct Row {
    std::uint32_t first_reading = 0, end_reading = 0, first_response = 0, end_response = 0;
    Eigen::Vector3d drift;
    double mu = 0.0;
    Law law = Law::coulomb;
  };
  struct Touch {  // of a block by a contact: a side of it
    std::uint32_t contact = 0, first_reading = 0, end_reading = 0;
    std::size_t columns = 0;  // of M^-1 Hᵀ, if the block has no inverse
  };

  Eigen::Vector3d velocity_of(std::size_t contact, const double* v) const {
    const Row& row = contacts_[contact];
    Eigen::Vector3d u = row.drift;
    for (std::uint32_t k = row.first_reading; k < row.end_reading; ++k)
      u.noalias() += v[readings_[k].unknown] * readings_[k].coefficient;
    return u;
  }
  void add_side(const Problem& problem, std::size_t contact, const Side& side);
  void factorise(const Problem& problem, std::size_t block);
  void add_responses(const Problem& problem);
  void set_diagonals();
  void move_block(std::size_t block, const Impulses& r, double* v) const;

  struct Extent {
    std::uint32_t first = 0, size = 0;  // of the unknowns
    std::size_t inverse = none;         // where the columns of its inverse begin
    static constexpr std::size_t none = std::size_t(-1);
  };

  std::vector<Extent> blocks_;
  std::vector<Row> contacts_;
  std::vector<Reading> readings_;
  std::vector<Response> responses_;
  std::vector<std::vector<Touch>> touches_;  // per block, in the order of the contacts
  std::vector<double> columns_;
  std::vector<Eigen::Matrix3d> diagonal_;
  std::vector<double> free_velocity_, velocity_;
  bool is_definite_ = true;
};

}  // namespace tendril::contact
