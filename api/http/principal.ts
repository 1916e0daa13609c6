import type { TokenBounds } from '#domain/risk/token-bounds.ts'

/** `legacy`: API keys from before tokens; `jwt`: the web application. */
const CREDENTIAL_KINDS = ['access', 'legacy', 'desktop', 'jwt', 'hook'] as const

export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

export interface Principal {
  credential: CredentialKind
  userId: string
  role: 'admin' | 'member'
  tradingMode: 'PAPER' | 'LIVE'
  scopes: ReadonlySet<string>
  bounds: TokenBounds
  /** Null for a JWT. */
  tokenId: string | null
  /** Null for everything but a JWT. */
  sessionId: string | null
  expiresAt: Date | null
  /** A person at the web application, also in the name of a program ({@link inNameOf}). */
  isInPerson: boolean
  /** Last proof by password or second factor; null where no person asks. */
  verifiedAt: Date | null
  /** Last second factor in this session; null when never, and for everything but a JWT. */
  secondFactorAt: Date | null
}

/** The authority of a program in the hands of a person, who has no other proof than their own. */
export const inNameOf = (
  program: Principal,
  { isInPerson, verifiedAt }: Pick<Principal, 'isInPerson' | 'verifiedAt'>,
): Principal => ({ ...program, isInPerson, verifiedAt })

/** The sender of signals: a person, by each token or over all their sessions. */
export const senderOf = ({ tokenId, userId }: Principal): { person: string; sender: string } => ({
  person: userId,
  sender: tokenId ?? userId,
})
