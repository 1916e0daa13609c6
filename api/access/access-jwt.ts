import { createHash, randomBytes, randomUUID } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { recordTokenUse, type TokenHolder } from '#db/identity/access-tokens.ts'
import type { Database } from '#db/engine/database.ts'
import type { Logger } from 'pino'

export interface OpaqueSecret {
  text: string
  hash: string
}

export function mintOpaqueSecret(): OpaqueSecret {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}

/** A random secret needs only a plain hash (ASVS 6.5.2). */
export const hashOpaqueSecret = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Short: a signed claim cannot be changed, though its session is looked up. */
export const ACCESS_JWT_SECONDS = 15 * 60

const ALGORITHM = 'HS256'
const JWT_ISSUER = 'durable-trader'
const AUDIENCE = 'durable-trader-api'
/** Excludes other kinds of JWT (RFC 8725, section 3.11). */
const JWT_TYPE = 'at+jwt'
const LEEWAY_SECONDS = 5

const RETIREMENT_SECONDS = 10

/** By id. `current` signs; newer replicas' and retired keys verify too. */
export interface SigningKeys {
  current: string
  keys: ReadonlyMap<string, Buffer>
  retiredAt: ReadonlyMap<string, Date>
}

const CLAIMS = z.object({ sub: z.guid(), sid: z.guid(), iat: z.number(), exp: z.number() })

export interface AccessClaims {
  userId: string
  sessionId: string
}

export interface ReadClaims extends AccessClaims {
  expiresAt: Date
}

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

/** Null unless ours, unchanged and unexpired. The token never chooses its verification (RFC 8725). */
export function readAccessJwt({ keys, retiredAt }: SigningKeys, token: string): ReadClaims | null {
  try {
    const header = jwt.decode(token, { complete: true })?.header
    const key = header?.kid === undefined ? undefined : keys.get(header.kid)
    if (!header || !key || header.typ !== JWT_TYPE || header.alg !== ALGORITHM) return null
    const verified = jwt.verify(token, key, {
      algorithms: [ALGORITHM],
      issuer: JWT_ISSUER,
      audience: AUDIENCE,
      clockTolerance: LEEWAY_SECONDS,
    })
    const { success, data: claims } = CLAIMS.safeParse(verified)
    if (!success || !isIssuedInTime(claims.iat, claims.exp, retiredAt.get(header.kid!))) return null
    return { userId: claims.sub, sessionId: claims.sid, expiresAt: new Date(claims.exp * 1_000) }
  } catch (error) {
    // A text that is no JWT ends in a SyntaxError.
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return null
    throw error
  }
}

function isIssuedInTime(issuedAt: number, expiresAt: number, retiredAt: Date | undefined): boolean {
  if (issuedAt > Date.now() / 1_000 + LEEWAY_SECONDS) return false
  if (expiresAt - issuedAt > ACCESS_JWT_SECONDS) return false
  return retiredAt === undefined || issuedAt <= retiredAt.getTime() / 1_000 + RETIREMENT_SECONDS
}

export const isShapedLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

function keyNamed(keys: ReadonlyMap<string, Buffer>, kid: string): Buffer {
  const key = keys.get(kid)
  if (!key) throw new Error(`There is no signing key ${kid}`)
  return key
}

const GRANULARITY_MS = 60_000

export interface TokenUse {
  note(holder: TokenHolder): void
  whenIdle(): Promise<void>
}

export function createTokenUse(database: Database, logger: Logger): TokenUse {
  const writing = new Map<string, Promise<void>>()
  return {
    note({ tokenId, userId, lastUsedAt }) {
      if (writing.has(tokenId)) return
      if (lastUsedAt && Date.now() - lastUsedAt.getTime() < GRANULARITY_MS) return
      const write = recordTokenUse(database.em.fork(), userId, tokenId)
        .catch((error: unknown) => logger.warn({ err: error, tokenId }, 'the use of a token was not noted'))
        .finally(() => writing.delete(tokenId))
      writing.set(tokenId, write)
    },
    async whenIdle() {
      await Promise.all(writing.values())
    },
  }
}
