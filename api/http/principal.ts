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
  /** Null for all but a JWT. */
  sessionId: string | null
  expiresAt: Date | null
  /** Also true for a person using a program ({@link inNameOf}). */
  isInPerson: boolean
  /** Last proof by password or second factor; null for programs. */
  verifiedAt: Date | null
  /** In this session; null for none. */
  secondFactorAt: Date | null
}

/** The program's authority with the person's own proof. */
export const inNameOf = (
  program: Principal,
  { isInPerson, verifiedAt }: Pick<Principal, 'isInPerson' | 'verifiedAt'>,
): Principal => ({ ...program, isInPerson, verifiedAt })

/** Each token is a sender, or a person over all sessions. */
export const senderOf = ({ tokenId, userId }: Principal): { person: string; sender: string } => ({
  person: userId,
  sender: tokenId ?? userId,
})
