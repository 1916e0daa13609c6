/** Specification 8. A plan that holds none cannot use those from before a downgrade either. */
const TOKENS_PER_PLAN = { FREE: 0, BASIC: 0, ADVANCED: 0, PRO: 10 } as const

export const tokenCap = (plan: keyof typeof TOKENS_PER_PLAN): number => TOKENS_PER_PLAN[plan]

export const PLANS_WITH_TOKENS = (Object.keys(TOKENS_PER_PLAN) as (keyof typeof TOKENS_PER_PLAN)[]).filter(
  (plan) => tokenCap(plan) > 0,
)

/** A desktop's token is a sign-in, which every plan has. */
export const isCoveredByPlan = ({
  kind,
  plan,
}: {
  kind: 'access' | 'legacy' | 'desktop' | 'hook'
  plan: keyof typeof TOKENS_PER_PLAN
}): boolean => kind === 'desktop' || PLANS_WITH_TOKENS.includes(plan)
