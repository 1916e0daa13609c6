/** The part of the package that tests read encrypted messages with (RFC 8188). */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  export function decrypt(
    message: Buffer,
    keys: { version: 'aes128gcm'; privateKey: ECDH; authSecret: Buffer },
  ): Buffer
}
