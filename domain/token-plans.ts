/**
 * Access tokens that each plan may hold; specification 8. A plan that holds none cannot use those that it had
 * before a downgrade either.
 */
const TOKENS_PER_PLAN = { FREE: 0, BASIC: 0, ADVANCED: 0, PRO: 10 } as const

/** How many a plan may hold. */
export const tokenCap = (plan: keyof typeof TOKENS_PER_PLAN): number => TOKENS_PER_PLAN[plan]

/** The plans whose tokens work. */
export const PLANS_WITH_TOKENS = (Object.keys(TOKENS_PER_PLAN) as (keyof typeof TOKENS_PER_PLAN)[]).filter(
  (plan) => tokenCap(plan) > 0,
)

/** A desktop's token stands for a sign-in, which every plan may do; the others belong to the plans that hold some. */
export const isCoveredByPlan = ({
  kind,
  plan,
}: {
  kind: 'access' | 'legacy' | 'desktop' | 'hook'
  plan: keyof typeof TOKENS_PER_PLAN
}): boolean => kind === 'desktop' || PLANS_WITH_TOKENS.includes(plan)
