//! SHA-256, for the vectors that state a long frame by its digest. Written from FIPS 180-4; slow.

/// The digest of `bytes`.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let primes: Vec<u128> = (2_u128..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    // The first 32 bits of the fractional parts of square and cube roots.
    let mut state: Vec<u32> = primes.iter().take(8).map(|p| root(*p << 64, 2)).collect();
    let constants: Vec<u32> = primes.iter().map(|p| root(*p << 96, 3)).collect();

    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize(message.len().next_multiple_of(64), 0);
    if message.len() - bytes.len() < 9 {
        message.resize(message.len() + 64, 0);
    }
    let end = message.len() - 8;
    message[end..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());

    for block in message.chunks(64) {
        let mut w: Vec<u32> =
            block.chunks(4).map(|b| b.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect();
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
            w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
        }
        let mut v = state.clone();
        for t in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choose = v[4] & v[5] ^ !v[4] & v[6];
            let t1 = [s1, choose, constants[t], w[t]].iter().fold(v[7], |sum, word| sum.wrapping_add(*word));
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2];
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        for (word, more) in state.iter_mut().zip(v) {
            *word = word.wrapping_add(more);
        }
    }
    let mut digest = [0; 32];
    for (place, word) in digest.chunks_mut(4).zip(state) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The low 32 bits of the integer root.
fn root(n: u128, degree: u32) -> u32 {
    let mut root = 0_u128;
    for bit in (0..64).rev() {
        let larger = root | 1 << bit;
        if larger.checked_pow(degree).is_some_and(|power| power <= n) {
            root = larger;
        }
    }
    root as u32
}

#[cfg(test)]
mod tests {
    use crate::hex;

    #[test]
    fn examples_of_the_standard() {
        let digest = |text: &str| hex::encode(&super::sha256(text.as_bytes()));
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(digest(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
