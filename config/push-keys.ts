import { createECDH, hkdfSync } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** Keys that push services know this installation by (RFC 8292), in base64url. */
interface PushKeyPair {
  /** Uncompressed point of P-256: browsers subscribe with it. */
  publicKey: string
  privateKey: string
}

/** Pairs of an installation, by the ids of their source keys. */
export interface PushKeys {
  current: string
  pairOf(id: string): PushKeyPair | null
}

/**
 * Derives the pairs from the ring, so that every process has the same. Older pairs stay, because a browser only takes
 * messages of the pair that it subscribed with.
 */
export function pushKeys(ring: KeyRing): PushKeys {
  const pairs = new Map<string, PushKeyPair>()
  return {
    get current() {
      return ring.current
    },
    pairOf(id) {
      const key = ring.keys.get(id)
      if (!key) return null
      const pair = pairs.get(id) ?? derivePair(key)
      pairs.set(id, pair)
      return pair
    },
  }
}

function derivePair(key: Buffer): PushKeyPair {
  const curve = createECDH('prime256v1')
  for (let round = 0; ; round += 1) {
    const scalar = Buffer.from(hkdfSync('sha256', key, '', `p-256/${round}`, 32))
    try {
      curve.setPrivateKey(scalar)
    } catch (error) {
      // Some number of 2^32 is no private key of this curve; the next round gives another one.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_CRYPTO_INVALID_KEYTYPE') throw error
      continue
    }
    return { publicKey: curve.getPublicKey('base64url'), privateKey: scalar.toString('base64url') }
  }
}
