// Bending and twisting at one inner vertex, as functions of its two edges (docs/theory/der.md, "Bending", "Twisting").
//
// Everything is written in edge coordinates (e, theta_e, f, theta_f), where e and f are the edge vectors before and
// after the vertex: eight unknowns instead of the eleven of (x_{i-1}, theta_e, x_i, theta_f, x_{i+1}), which follow by
// d/dx_{i-1} = -d/de, d/dx_i = d/de - d/df, d/dx_{i+1} = d/df.
//
// Two ways to the same numbers: bend_and_twist() builds the rows of the strain gradient, for any curvature measure and
// any cross-section; round_bend_and_twist() is the closed form for 4D curvature and equal stiffness in both directions,
// where the Gauss-Newton Hessian does not depend on the directors at all.
#pragma once

#include "tendril/geometry/transport.hpp"
#include "tendril/rods/der/curvature.hpp"

namespace tendril::der {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct JointGeometry {
  S chi;  // 1 + t_e . t_f; zero for a fold-back
  S inverse_chi;
  Vec3<S> turn;      // t_e x t_f
  Vec3<S> binormal;  // kappa b = 2 t_e x t_f / chi
};

template <class S>
TENDRIL_INLINE JointGeometry<S> joint_geometry(const Edge<S>& e, const Edge<S>& f) {
  const S chi = 1.0 + dot(e.tangent, f.tangent);
  const S inverse_chi = 1.0 / chi;
  const Vec3<S> turn = cross(e.tangent, f.tangent);
  return {chi, inverse_chi, turn, (2.0 * inverse_chi) * turn};
}

// Stiffness and rest strain of a joint.
template <class S>
struct JointMaterial {
  S bend1, bend2, twist;  // [N m], of kappa_0 and kappa_2, of kappa_1 and kappa_3, of the twist
  S curvature[4];         // rest curvature, integrated, in the frames of e (0, 1) and f (2, 3)
  S rest_twist;           // [rad]
};

template <class S>
struct JointGradient {
  Vec3<S> e, f;
  S theta_e, theta_f;
};

template <class S>
struct JointHessian {
  Sym3<S> ee, ff;
  Mat3<S> fe;  // rows of f, columns of e
  Vec3<S> e_theta_e, e_theta_f, f_theta_e, f_theta_f;
  S theta_ee, theta_ff, theta_ef;
};

template <class S>
struct Joint {
  JointGradient<S> gradient;
  JointHessian<S> hessian;
};

// A strain measure with its gradient.
template <class S>
struct Strain {
  S value;
  JointGradient<S> gradient;
};

template <class S>
TENDRIL_INLINE Strain<S> combine(const S& a, const Strain<S>& u, const S& b, const Strain<S>& v) {
  return {a * u.value + b * v.value,
          {a * u.gradient.e + b * v.gradient.e, a * u.gradient.f + b * v.gradient.f,
           a * u.gradient.theta_e + b * v.gradient.theta_e, a * u.gradient.theta_f + b * v.gradient.theta_f}};
}

// kappa b . m2 and -kappa b . m1 for one frame, with the derivatives by the edge vectors (Eq. 6); those by theta are
// the caller's, who knows which edge the frame belongs to.
template <class S>
struct CurvaturePair {
  Strain<S> first, second;
};

template <class S>
TENDRIL_INLINE CurvaturePair<S> curvature_in_frame(const Edge<S>& e, const Edge<S>& f, const JointGeometry<S>& joint,
                                                   const Frame<S>& frame) {
  const S two_over_chi = 2.0 * joint.inverse_chi;
  const Vec3<S> mean = joint.inverse_chi * (e.tangent + f.tangent);
  const S first = dot(joint.binormal, frame.m2), second = -dot(joint.binormal, frame.m1);
  const S zero{};
  return {{first,
           {e.inverse_length * (two_over_chi * cross(f.tangent, frame.m2) - first * mean),
            f.inverse_length * (-(two_over_chi * cross(e.tangent, frame.m2)) - first * mean), zero, zero}},
          {second,
           {e.inverse_length * (-(two_over_chi * cross(f.tangent, frame.m1)) - second * mean),
            f.inverse_length * (two_over_chi * cross(e.tangent, frame.m1) - second * mean), zero, zero}}};
}

// Twist m = theta_f - theta_e + reference twist (Eq. 9).
template <class S>
TENDRIL_INLINE Strain<S> twist_strain(const Edge<S>& e, const Edge<S>& f, const JointGeometry<S>& joint,
                                      const S& twist) {
  const S minus_one = S{} - 1.0, one = S{} + 1.0;
  return {twist,
          {(0.5 * e.inverse_length) * joint.binormal, (0.5 * f.inverse_length) * joint.binormal, minus_one, one}};
}

// The curvature components of a measure, at most four; `count` are in use (Eqs. 7 and 8).
template <class S>
struct Curvature4 {
  Strain<S> component[4];
  int count;
};

template <class S>
TENDRIL_INLINE Curvature4<S> curvature_strains(Curvature measure, const Edge<S>& e, const Edge<S>& f,
                                               const JointGeometry<S>& joint, const Frame<S>& frame_e,
                                               const Frame<S>& frame_f, const Strain<S>& twist) {
  auto [k0, k1] = curvature_in_frame(e, f, joint, frame_e);
  k0.gradient.theta_e = k1.value;
  k1.gradient.theta_e = -k0.value;
  if (measure == Curvature::slerped || measure == Curvature::slerped_approximate) {
    const auto [s, c] = sine_cosine(0.5 * twist.value);
    if (measure == Curvature::slerped) {  // the half-twist frame: R(m/2) (kappa_0, kappa_1), differentiated exactly
      const S half = S{} + 0.5;
      Strain<S> first = combine(c, k0, s, k1), second = combine(c, k1, -s, k0);
      const S first_value = first.value, second_value = second.value;
      first = combine(S{} + 1.0, first, half * second_value, twist);
      second = combine(S{} + 1.0, second, -(half * first_value), twist);
      first.value = first_value, second.value = second_value;
      return {{first, second, first, second}, 2};
    }
    // For comparison only: the slerped frame put into Eq. 6 as if it were an edge's, with half the theta rows that the
    // frames of the two edges have, not those of the slerped frame between them.
    const Frame<S> middle = {c * frame_e.m1 + s * frame_e.m2, c * frame_e.m2 - s * frame_e.m1};
    const auto [k2, k3] = curvature_in_frame(e, f, joint, frame_f);
    auto [first, second] = curvature_in_frame(e, f, joint, middle);
    first.gradient.theta_e = 0.5 * k1.value, first.gradient.theta_f = 0.5 * k3.value;
    second.gradient.theta_e = -0.5 * k0.value, second.gradient.theta_f = -0.5 * k2.value;
    return {{first, second, first, second}, 2};
  }
  auto [k2, k3] = curvature_in_frame(e, f, joint, frame_f);
  k2.gradient.theta_f = k3.value;
  k3.gradient.theta_f = -k2.value;
  if (measure == Curvature::averaged) {
    const S half = S{} + 0.5;
    const Strain<S> first = combine(half, k0, half, k2), second = combine(half, k1, half, k3);
    return {{first, second, first, second}, 2};
  }
  return {{k0, k1, k2, k3}, 4};
}

// 4D counts the curvature once in each edge's frame, so a 2D measure carries twice the coefficient.
template <class S>
TENDRIL_INLINE S component_stiffness(const JointMaterial<S>& material, int component, int count) {
  const S bend = component % 2 == 0 ? material.bend1 : material.bend2;
  return count == 2 ? 2.0 * bend : bend;
}

template <class S>
TENDRIL_INLINE void add_gradient(const S& stress, const Strain<S>& strain, JointGradient<S>& to) {
  to.e = to.e + stress * strain.gradient.e;
  to.f = to.f + stress * strain.gradient.f;
  to.theta_e = to.theta_e + stress * strain.gradient.theta_e;
  to.theta_f = to.theta_f + stress * strain.gradient.theta_f;
}

template <class S>
TENDRIL_INLINE void add_gauss_newton(const S& stiffness, const Strain<S>& strain, JointHessian<S>& to) {
  const Vec3<S>&e = strain.gradient.e, &f = strain.gradient.f;
  const S te = stiffness * strain.gradient.theta_e, tf = stiffness * strain.gradient.theta_f;
  to.ee = to.ee + identity_plus_outer(S{}, stiffness, e);
  to.ff = to.ff + identity_plus_outer(S{}, stiffness, f);
  to.fe = to.fe + outer(stiffness * f, e);
  to.e_theta_e = to.e_theta_e + te * e;
  to.e_theta_f = to.e_theta_f + tf * e;
  to.f_theta_e = to.f_theta_e + te * f;
  to.f_theta_f = to.f_theta_f + tf * f;
  to.theta_ee += te * strain.gradient.theta_e;
  to.theta_ff += tf * strain.gradient.theta_f;
  to.theta_ef += te * strain.gradient.theta_f;
}

template <class S>
struct JointEnergy {
  S bend, twist;
};

template <class S>
TENDRIL_INLINE JointEnergy<S> joint_energy(Curvature measure, const JointMaterial<S>& material, const Edge<S>& e,
                                           const Edge<S>& f, const Frame<S>& frame_e, const Frame<S>& frame_f,
                                           const S& twist) {
  const JointGeometry<S> joint = joint_geometry(e, f);
  const Strain<S> twisting = twist_strain(e, f, joint, twist);
  const Curvature4<S> bending = curvature_strains(measure, e, f, joint, frame_e, frame_f, twisting);
  const S wound = twist - material.rest_twist;
  JointEnergy<S> energy{S{}, 0.5 * material.twist * wound * wound};
  for (int k = 0; k < bending.count; ++k) {
    const S bent = bending.component[k].value - material.curvature[k];
    energy.bend = energy.bend + 0.5 * component_stiffness(material, k, bending.count) * bent * bent;
  }
  return energy;
}

// Gradient of the joint's energy from the strain rows.
template <class S>
TENDRIL_INLINE JointGradient<S> joint_gradient(Curvature measure, const JointMaterial<S>& material, const Edge<S>& e,
                                               const Edge<S>& f, const Frame<S>& frame_e, const Frame<S>& frame_f,
                                               const S& twist) {
  const JointGeometry<S> joint = joint_geometry(e, f);
  const Strain<S> twisting = twist_strain(e, f, joint, twist);
  const Curvature4<S> bending = curvature_strains(measure, e, f, joint, frame_e, frame_f, twisting);
  JointGradient<S> gradient{};
  for (int k = 0; k < bending.count; ++k)
    add_gradient(component_stiffness(material, k, bending.count) * (bending.component[k].value - material.curvature[k]),
                 bending.component[k], gradient);
  add_gradient(material.twist * (twist - material.rest_twist), twisting, gradient);
  return gradient;
}

// Gradient and Gauss-Newton Hessian from the strain rows: any measure, any cross-section. `stiffening` multiplies the
// Hessian only (internal damping, Eq. 16).
template <class S>
TENDRIL_INLINE Joint<S> bend_and_twist(Curvature measure, const JointMaterial<S>& material, const S& stiffening,
                                       const Edge<S>& e, const Edge<S>& f, const Frame<S>& frame_e,
                                       const Frame<S>& frame_f, const S& twist) {
  const JointGeometry<S> joint = joint_geometry(e, f);
  const Strain<S> twisting = twist_strain(e, f, joint, twist);
  const Curvature4<S> bending = curvature_strains(measure, e, f, joint, frame_e, frame_f, twisting);
  Joint<S> result{};
  for (int k = 0; k < bending.count; ++k) {
    const S stiffness = component_stiffness(material, k, bending.count);
    add_gradient(stiffness * (bending.component[k].value - material.curvature[k]), bending.component[k],
                 result.gradient);
    add_gauss_newton(stiffening * stiffness, bending.component[k], result.hessian);
  }
  add_gradient(material.twist * (twist - material.rest_twist), twisting, result.gradient);
  add_gauss_newton(stiffening * material.twist, twisting, result.hessian);
  return result;
}

// Closed forms for 4D curvature with bend1 = bend2 = b (Eqs. 12 and 13): with equal weights the four components span
// the plane of the directors whatever their angle, so the frames drop out of the Hessian, and the gradient needs them
// only for the rest curvature.
template <class S>
TENDRIL_INLINE JointGradient<S> round_joint_gradient(const JointMaterial<S>& material, const Edge<S>& e,
                                                     const Edge<S>& f, const JointGeometry<S>& joint,
                                                     const Frame<S>& frame_e, const Frame<S>& frame_f, const S& twist) {
  const S b = material.bend1, half_torque = 0.5 * material.twist * (twist - material.rest_twist);
  const Vec3<S> rest_e = material.curvature[0] * frame_e.m2 - material.curvature[1] * frame_e.m1;
  const Vec3<S> rest_f = material.curvature[2] * frame_f.m2 - material.curvature[3] * frame_f.m1;
  const Vec3<S> bent = (joint.binormal + joint.binormal) - rest_e - rest_f;
  const S inverse_chi = joint.inverse_chi;
  const Vec3<S> common =
      half_torque * joint.binormal - (b * inverse_chi * dot(joint.binormal, bent)) * (e.tangent + f.tangent);
  const Vec3<S> lever = (2.0 * b * inverse_chi) * bent;
  return {e.inverse_length * (common + cross(f.tangent, lever)), f.inverse_length * (common - cross(e.tangent, lever)),
          b * dot(joint.binormal, cross(rest_e, e.tangent)) - 2.0 * half_torque,
          b * dot(joint.binormal, cross(rest_f, f.tangent)) + 2.0 * half_torque};
}

template <class S>
TENDRIL_INLINE JointHessian<S> round_joint_hessian(const S& b, const S& w, const Edge<S>& e, const Edge<S>& f,
                                                   const JointGeometry<S>& joint) {
  const Vec3<S>& k = joint.binormal;
  const S inverse_chi = joint.inverse_chi, c = joint.chi - 1.0;
  const S a = 8.0 * b * inverse_chi * inverse_chi;
  const S ie = e.inverse_length, jf = f.inverse_length;
  const Vec3<S> edge_k = (0.25 * w - b) * k, cross_k = (0.25 * w * ie * jf) * k;
  const S ae = a * ie * ie, af = a * jf * jf, ac = a * ie * jf;
  const Vec3<S>&t = e.tangent, &u = f.tangent, &n = joint.turn;
  const auto diagonal_block = [&](const S& scale, const S& inverse_square,
                                  const Vec3<S>& tangent) TENDRIL_INLINE_LAMBDA {
    const Vec3<S> ek = inverse_square * edge_k, st = scale * tangent;
    return Sym3<S>{scale - st.x * tangent.x + ek.x * k.x, ek.y * k.x - st.y * tangent.x,
                   scale - st.y * tangent.y + ek.y * k.y, ek.z * k.x - st.z * tangent.x,
                   ek.z * k.y - st.z * tangent.y,         scale - st.z * tangent.z + ek.z * k.z};
  };
  const Vec3<S> au = ac * u, an = ac * n;
  const S acc = ac * c;
  const S same = 2.0 * c * b * inverse_chi - 0.5 * w, other = 2.0 * b * inverse_chi + 0.5 * w;
  return {
      diagonal_block(ae, ie * ie, t),
      diagonal_block(af, jf * jf, u),
      // -a (c I + [n]x - u tᵀ) + (w/4) k kᵀ
      {{au.x * t.x - acc + cross_k.x * k.x, au.x * t.y + an.z + cross_k.x * k.y, au.x * t.z - an.y + cross_k.x * k.z},
       {au.y * t.x - an.z + cross_k.y * k.x, au.y * t.y - acc + cross_k.y * k.y, au.y * t.z + an.x + cross_k.y * k.z},
       {au.z * t.x + an.y + cross_k.z * k.x, au.z * t.y - an.x + cross_k.z * k.y, au.z * t.z - acc + cross_k.z * k.z}},
      (same * ie) * k,
      (other * ie) * k,
      -((other * jf) * k),
      -((same * jf) * k),
      b * dot(k, k) + w,
      b * dot(k, k) + w,
      -w};
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::der
