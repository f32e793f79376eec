// Bodies that strands stand on: heads and other meshes, moved by each frame.
import {BufferAttribute, BufferGeometry, Group, Mesh, Quaternion} from '/lib/three.module.js';
import {bodyMaterial} from './plain_material.js';

export class Bodies {
  constructor() {
    this.group = new Group();
    this.meshes = [];
  }

  async load(run) {
    const made = await Promise.all(run.info.bodies.map((_, index) => run.body(index)));
    for (const {points, triangles} of made) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(points, 3));
      geometry.setIndex(new BufferAttribute(triangles, 1));
      geometry.computeVertexNormals();
      const mesh = new Mesh(geometry, bodyMaterial());
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      this.meshes.push(mesh);
      this.group.add(mesh);
    }
  }

  setColour(colour) {
    for (const mesh of this.meshes) mesh.material.uniforms.colour.value.set(colour);
  }

  // Channels that frames need for the bodies.
  static channels(info) {
    if (info.bodies.length === 0) return [];
    return ['body_pose', ...info.bodies.flatMap((body, i) => (body.deforms ? [`body_points_${i}`] : []))];
  }

  setFrame(frame) {
    const poses = frame.arrays.get('body_pose');
    this.meshes.forEach((mesh, i) => {
      const points = frame.arrays.get(`body_points_${i}`);
      if (points) {
        const {geometry} = mesh;
        geometry.attributes.position.copyArray(points);
        geometry.attributes.position.needsUpdate = true;
        geometry.computeVertexNormals();
        geometry.boundingSphere = null;
        mesh.matrix.identity();
      } else if (poses) {
        const [x, y, z, qw, qx, qy, qz] = poses.subarray(7 * i, 7 * i + 7);
        mesh.matrix.makeRotationFromQuaternion(new Quaternion(qx, qy, qz, qw)).setPosition(x, y, z);
      }
      mesh.matrixWorldNeedsUpdate = true;
    });
  }
}
