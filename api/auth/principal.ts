/** What a credential may be allowed to do. */
export const SCOPES = [
  'trading:read',
  'accounts:read',
  'signals:write',
  'orders:write',
  'accounts:write',
] as const
export type Scope = (typeof SCOPES)[number]

/** Who asks, as proven by a credential. */
export interface Principal {
  userId: string
  tokenId: string
  tradingMode: 'PAPER' | 'LIVE'
  scopes: ReadonlySet<string>
}
