//! `mesh`: 125,000 triangles, nothing but floats.

use super::generate::{Generate, Random, list};
use super::{DataSet, ZapData, messages};
use zap_core::DecodeError;

every_codec! {
    pub(crate) struct Mesh {
        pub(crate) triangles: Vec<Triangle>,
    }

    pub(crate) struct Triangle {
        pub(crate) v0: Vector3,
        pub(crate) v1: Vector3,
        pub(crate) v2: Vector3,
        pub(crate) normal: Vector3,
    }

    pub(crate) struct Vector3 {
        pub(crate) x: f32,
        pub(crate) y: f32,
        pub(crate) z: f32,
    }
}

impl Generate for Vector3 {
    fn generate(random: &mut Random) -> Self {
        let [x, y, z] = Generate::generate(random);
        Self { x, y, z }
    }
}

impl Generate for Triangle {
    fn generate(random: &mut Random) -> Self {
        let [v0, v1, v2, normal] = Generate::generate(random);
        Self { v0, v1, v2, normal }
    }
}

impl Generate for Mesh {
    fn generate(random: &mut Random) -> Self {
        Self { triangles: list(random, 125_000..125_001) }
    }
}

impl super::Value for Mesh {}

impl DataSet for Mesh {
    const NAME: &'static str = "mesh";
    const ABOUT: &'static str = "125,000 triangles of floats; read: the normal of each";
    type Message = messages::mesh::Mesh;

    fn read(&self, mut visit: impl FnMut(u64)) {
        for Triangle { normal: Vector3 { x, y, z }, .. } in &self.triangles {
            visit(x.to_bits().into());
            visit(y.to_bits().into());
            visit(z.to_bits().into());
        }
    }

    #[inline(always)]
    fn read_archived(archived: &ArchivedMesh, mut visit: impl FnMut(u64)) {
        for ArchivedTriangle { normal: ArchivedVector3 { x, y, z }, .. } in archived.triangles.iter() {
            visit(x.to_native().to_bits().into());
            visit(y.to_native().to_bits().into());
            visit(z.to_native().to_bits().into());
        }
    }
}

impl ZapData for Mesh {
    #[inline(always)]
    fn read_view(view: MeshView<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for triangle in view.triangles()? {
            let normal = triangle.normal();
            visit(normal.x().to_bits().into());
            visit(normal.y().to_bits().into());
            visit(normal.z().to_bits().into());
        }
        Ok(())
    }
}
