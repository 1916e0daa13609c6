import jwt from 'jsonwebtoken'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/** Seconds. Short, because what is signed cannot be changed; the session behind it is looked up all the same. */
export const ACCESS_JWT_SECONDS = 15 * 60

const ALGORITHM = 'HS256'
const JWT_ISSUER = 'durable-trader'
const AUDIENCE = 'durable-trader-api'
/** Names the one use of these tokens in their header (RFC 8725, section 3.11): no other kind passes for one. */
const JWT_TYPE = 'at+jwt'
/** Seconds by which the clocks of two replicas may differ. */
const LEEWAY = 5

/** Seconds after its retirement in which a replica may go on signing with a key: it has not read the key file yet. */
const RETIREMENT_SECONDS = 10

/**
 * Keys by id, of which one signs. The others verify: one that is to come, for replicas that sign with it already, and
 * retired ones for what was signed before they were retired.
 */
export interface SigningKeys {
  current: string
  /** At least 256 bits each. */
  keys: ReadonlyMap<string, Buffer>
  retiredAt: ReadonlyMap<string, Date>
}

/** The claims of a JWT of ours beside those that the library checks; ids are looked up in the database, which takes nothing else for an id. */
const CLAIMS = z.object({ sub: z.guid(), sid: z.guid(), iat: z.number(), exp: z.number() })

export interface AccessClaims {
  userId: string
  sessionId: string
}

/** The claims of a JWT that was read, with the end of its time. */
export interface ReadClaims extends AccessClaims {
  expiresAt: Date
}

/** Signs what the web application shows for its user until it expires. */
export function signAccessJwt({ current, keys }: SigningKeys, { userId, sessionId }: AccessClaims): string {
  return jwt.sign({ sid: sessionId }, keyNamed(keys, current), {
    algorithm: ALGORITHM,
    header: { alg: ALGORITHM, typ: JWT_TYPE, kid: current },
    issuer: JWT_ISSUER,
    audience: AUDIENCE,
    subject: userId,
    jwtid: randomUUID(),
    expiresIn: ACCESS_JWT_SECONDS,
  })
}

/**
 * What an access JWT says; null unless it is one of ours, unchanged and not expired. The key comes from our
 * own set, the algorithm from here: nothing in the token chooses how it is verified (RFC 8725). Whoever got hold of a
 * retired key signs nothing that is good for longer than a JWT lives after the retirement.
 */
export function readAccessJwt({ keys, retiredAt }: SigningKeys, token: string): ReadClaims | null {
  try {
    const header = jwt.decode(token, { complete: true })?.header
    const key = header?.kid === undefined ? undefined : keys.get(header.kid)
    if (!header || !key || header.typ !== JWT_TYPE || header.alg !== ALGORITHM) return null
    const verified = jwt.verify(token, key, {
      algorithms: [ALGORITHM],
      issuer: JWT_ISSUER,
      audience: AUDIENCE,
      clockTolerance: LEEWAY,
    })
    const { success, data: claims } = CLAIMS.safeParse(verified)
    if (!success || !isIssuedInTime(claims.iat, claims.exp, retiredAt.get(header.kid!))) return null
    return { userId: claims.sub, sessionId: claims.sid, expiresAt: new Date(claims.exp * 1_000) }
  } catch (error) {
    // Texts that are no JWT at all end in a SyntaxError, those that do not verify in the library's own errors.
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return null
    throw error
  }
}

/** Whether a JWT was issued neither in the future, nor for longer than we issue any, nor after its key was retired. */
function isIssuedInTime(issuedAt: number, expiresAt: number, retiredAt: Date | undefined): boolean {
  if (issuedAt > Date.now() / 1_000 + LEEWAY) return false
  if (expiresAt - issuedAt > ACCESS_JWT_SECONDS) return false
  return retiredAt === undefined || issuedAt <= retiredAt.getTime() / 1_000 + RETIREMENT_SECONDS
}

/** Whether a bearer credential has the form of a JWT, whoever signed it. */
export const isShapedLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

function keyNamed(keys: ReadonlyMap<string, Buffer>, kid: string): Buffer {
  const key = keys.get(kid)
  if (!key) throw new Error(`There is no signing key ${kid}`)
  return key
}
