//! The Protocol Buffers messages of `mesh`.

use super::messages;
use crate::datasets::mesh as plain;

messages! {
    Mesh {
        #[prost(message, repeated, tag = "1")]
        triangles: Vec<Triangle>,
    }
    Triangle {
        #[prost(message, optional, tag = "1")]
        v0: Option<Vector3>,
        #[prost(message, optional, tag = "2")]
        v1: Option<Vector3>,
        #[prost(message, optional, tag = "3")]
        v2: Option<Vector3>,
        #[prost(message, optional, tag = "4")]
        normal: Option<Vector3>,
    }
    Vector3 {
        #[prost(float, tag = "1")]
        x: f32,
        #[prost(float, tag = "2")]
        y: f32,
        #[prost(float, tag = "3")]
        z: f32,
    }
}
