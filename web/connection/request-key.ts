/** A new key under which one request that places orders may be repeated. Works without TLS, as randomUUID does not. */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
