import { compare, type Decimal, dollarAmount } from '../money/decimal.ts'

/** A token's bounds never change; a hook's follow its accounts and live switch. */
export interface TokenBounds {
  pendingOnly?: true
  accountIds?: readonly string[]
  symbols?: readonly string[]
  /** Dollars of an opening order without approval. */
  maxOrderValue?: Decimal
  ownSignalsOnly?: true
  /** Set for hooks not switched to live accounts. */
  demoOnly?: true
}
export type TokenBound = keyof TokenBounds

export const TOKEN_BOUNDS = [
  'pendingOnly',
  'accountIds',
  'symbols',
  'maxOrderValue',
  'ownSignalsOnly',
  'demoOnly',
] as const satisfies readonly TokenBound[]

export const UNBOUNDED: TokenBounds = {}

export interface BoundedAct {
  accountId?: string
  opening?: {
    symbol: string
    awaitsApproval: boolean
    /** Dollars, or a safe upper bound; null if unknown. */
    value: Decimal | null
    isDemo?: boolean
  }
  isOwn?: boolean
}

export interface ExceededBound {
  bound: TokenBound
  message: string
}

export function exceededBounds(
  bounds: TokenBounds,
  { accountId, opening, isOwn }: BoundedAct,
): ExceededBound[] {
  const { pendingOnly, accountIds, symbols, maxOrderValue, ownSignalsOnly, demoOnly } = bounds
  const exceeded: ExceededBound[] = []
  if (pendingOnly && opening?.awaitsApproval === false)
    exceeded.push({
      bound: 'pendingOnly',
      message: 'The token opens positions by pending signals only, which a person approves',
    })
  if (accountIds && accountId !== undefined && !accountIds.includes(accountId))
    exceeded.push({
      bound: 'accountIds',
      message: `The token acts on these accounts only: ${accountIds.join(', ')}`,
    })
  if (symbols && opening && !symbols.includes(opening.symbol))
    exceeded.push({
      bound: 'symbols',
      message: `The token opens positions in these symbols only: ${symbols.join(', ')}`,
    })
  if (maxOrderValue !== undefined && opening?.value != null && compare(opening.value, maxOrderValue) > 0)
    exceeded.push({
      bound: 'maxOrderValue',
      message: `The order is worth ${dollarAmount(opening.value)}, the token opens positions by orders of at most ${dollarAmount(maxOrderValue)}`,
    })
  if (ownSignalsOnly && isOwn === false)
    exceeded.push({
      bound: 'ownSignalsOnly',
      message: 'The token changes only what it has sent itself',
    })
  if (demoOnly && opening?.isDemo === false)
    exceeded.push({
      bound: 'demoOnly',
      message: 'The hook opens positions on demo accounts only, until it is switched to live ones',
    })
  return exceeded
}

export const SCOPES = [
  'trading:read',
  'accounts:read',
  'signals:write',
  'orders:write',
  'accounts:write',
] as const

export type Scope = (typeof SCOPES)[number]

/** Specification 8. A subscription plan without tokens also blocks those from before a downgrade. */
const TOKENS_PER_PLAN = { FREE: 0, BASIC: 0, ADVANCED: 0, PRO: 10 } as const

export const tokenCap = (plan: keyof typeof TOKENS_PER_PLAN): number => TOKENS_PER_PLAN[plan]

export const PLANS_WITH_TOKENS = (Object.keys(TOKENS_PER_PLAN) as (keyof typeof TOKENS_PER_PLAN)[]).filter(
  (plan) => tokenCap(plan) > 0,
)

/** A desktop's token is a sign-in, which every subscription plan has. */
export const isCoveredByPlan = ({
  kind,
  plan,
}: {
  kind: 'access' | 'legacy' | 'desktop' | 'hook'
  plan: keyof typeof TOKENS_PER_PLAN
}): boolean => kind === 'desktop' || PLANS_WITH_TOKENS.includes(plan)

export interface TokenRefusal {
  at: string
  code: string
  /** Bounded, without secrets: only body parts that the refusal names. */
  message: string
}

/** The specification's default lifetime. */
export function aYearFrom(start: Date): Date {
  const end = new Date(start)
  end.setUTCFullYear(end.getUTCFullYear() + 1)
  return end
}
