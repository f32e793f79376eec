// What the stress of a bent and twisted joint adds to the Gauss-Newton Hessian of its energy, in closed form
// (docs/theory/der.md, "Second derivatives"): together they are the exact Hessian, made symmetric.
//
// The stress of the two components in one frame is a vector that rides with the frame, A_e = S_0 m2_e - S_1 m1_e, and
// both together act through  phi = kappa b . A  with A = A_e + A_f: a handful of outer products holds for any section.
#pragma once

#include "tendril/rods/der/joint.hpp"

namespace tendril::der {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct JointStress {
  Vec3<S> e, f;  // A_e and A_f [N m]
  S torque;      // [N m]
};

// Of 4D curvature.
template <class S>
TENDRIL_INLINE JointStress<S> joint_stress(const JointMaterial<S>& material, const JointGeometry<S>& joint,
                                           const Frame<S>& frame_e, const Frame<S>& frame_f, const S& twist) {
  const auto stress = [&](const Frame<S>& frame, const S& rest1, const S& rest2) TENDRIL_INLINE_LAMBDA {
    return (material.bend1 * (dot(joint.binormal, frame.m2) - rest1)) * frame.m2 +
           (material.bend2 * (dot(joint.binormal, frame.m1) + rest2)) * frame.m1;
  };
  return {stress(frame_e, material.curvature[0], material.curvature[1]),
          stress(frame_f, material.curvature[2], material.curvature[3]),
          material.twist * (twist - material.rest_twist)};
}

// scale (u vᵀ + v uᵀ)
template <class S>
TENDRIL_INLINE Sym3<S> twice_symmetric(const S& scale, const Vec3<S>& u, const Vec3<S>& v) {
  const Vec3<S> su = scale * u;
  return {su.x * v.x + su.x * v.x, su.y * v.x + su.x * v.y, su.y * v.y + su.y * v.y,
          su.z * v.x + su.x * v.z, su.z * v.y + su.y * v.z, su.z * v.z + su.z * v.z};
}

template <class S>
TENDRIL_INLINE void add_stress_terms(const JointStress<S>& stress, const Edge<S>& e, const Edge<S>& f,
                                     const JointGeometry<S>& joint, JointHessian<S>& to) {
  const Vec3<S>&t = e.tangent, &u = f.tangent, &k = joint.binormal;
  const S two_over_chi = 2.0 * joint.inverse_chi, ie = e.inverse_length, jf = f.inverse_length;
  const Vec3<S> mean = joint.inverse_chi * (t + u), both = stress.e + stress.f;
  const S phi = dot(k, both), phi_chi = phi * joint.inverse_chi;
  // l_e dphi/de and l_f dphi/df
  const Vec3<S> de = two_over_chi * cross(u, both) - phi * mean, df = -(two_over_chi * cross(t, both)) - phi * mean;
  const S half = S{} + 0.5, quarter_torque = 0.25 * stress.torque;

  const auto own_block = [&](const S& inverse_length, const Vec3<S>& tangent, const Vec3<S>& slope,
                             const Vec3<S>& riding) TENDRIL_INLINE_LAMBDA {
    const S square = inverse_length * inverse_length;
    return identity_plus_outer(-(phi_chi * square), phi_chi * square, tangent) + twice_symmetric(-square, mean, slope) +
           twice_symmetric(square, k, half * riding - quarter_torque * (tangent + mean));
  };
  to.ee = to.ee + own_block(ie, t, de, stress.e);
  to.ff = to.ff + own_block(jf, u, df, stress.f);

  // -df meanᵀ - mean deᵀ - (phi/chi) (I + u tᵀ) + [skew]x - (torque/4) (k meanᵀ + mean kᵀ), over l_e l_f
  const S scale = ie * jf;
  const Vec3<S> skew = scale * (two_over_chi * both - (0.5 * stress.torque) * mean);
  const Vec3<S> left = -(scale * (df + quarter_torque * k)), right = -(scale * (de + quarter_torque * k));
  const S diagonal = scale * phi_chi;
  const Mat3<S> outers = outer(left, mean) + outer(mean, right) + outer(-(diagonal * u), t);
  to.fe = to.fe + outers +
          Mat3<S>{{-diagonal, -skew.z, skew.y}, {skew.z, -diagonal, -skew.x}, {-skew.y, skew.x, -diagonal}};

  // Turning a frame by theta turns its part of the stress.
  const auto turned = [&](const Vec3<S>& riding, Vec3<S>& by_e, Vec3<S>& by_f) TENDRIL_INLINE_LAMBDA {
    const S slope = dot(k, riding);
    by_e = by_e + ie * (two_over_chi * cross(u, riding) - slope * mean);
    by_f = by_f - jf * (two_over_chi * cross(t, riding) + slope * mean);
  };
  turned(cross(t, stress.e), to.e_theta_e, to.f_theta_e);
  turned(cross(u, stress.f), to.e_theta_f, to.f_theta_f);
  to.theta_ee -= dot(k, stress.e);
  to.theta_ff -= dot(k, stress.f);
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::der
