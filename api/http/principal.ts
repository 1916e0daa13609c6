import type { TokenBounds } from '#domain/token-bounds.ts'

/** The acts that a credential may be allowed. */
export const SCOPES = [
  'trading:read',
  'accounts:read',
  'signals:write',
  'orders:write',
  'accounts:write',
] as const
export type Scope = (typeof SCOPES)[number]

/**
 * By what somebody is known: a token that its owner made, an API key from before tokens, a desktop's token, or
 * the JWT of the web application; or a hook, by the secret in its address or its signature.
 */
const CREDENTIAL_KINDS = ['access', 'legacy', 'desktop', 'jwt', 'hook'] as const
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

/** The sender of a request, as proven by a credential. */
export interface Principal {
  credential: CredentialKind
  userId: string
  role: 'admin' | 'member'
  tradingMode: 'PAPER' | 'LIVE'
  scopes: ReadonlySet<string>
  /** The bounds that the owner of a token has set; none for everything but an access token. */
  bounds: TokenBounds
  /** Null for a JWT. */
  tokenId: string | null
  /** Null for everything but a JWT. */
  sessionId: string | null
  /** When a JWT ends; null for what is good until it is ended. */
  expiresAt: Date | null
  /** A person at the web application asks, for themselves or in the name of a program ({@link inNameOf}). */
  isInPerson: boolean
  /** When that person last proved who they are, by password or second factor; null where no person asks. */
  verifiedAt: Date | null
  /** When the user last showed a second factor in this session; null when never, and for everything but a JWT. */
  secondFactorAt: Date | null
}

/** A program's authority in the hands of whoever uses it: a person has no other proof by it than their own. */
export const inNameOf = (
  program: Principal,
  { isInPerson, verifiedAt }: Pick<Principal, 'isInPerson' | 'verifiedAt'>,
): Principal => ({ ...program, isInPerson, verifiedAt })

/** The sender of signals: a person, by each token or over all their sessions. */
export const senderOf = ({ tokenId, userId }: Principal): { person: string; sender: string } => ({
  person: userId,
  sender: tokenId ?? userId,
})
