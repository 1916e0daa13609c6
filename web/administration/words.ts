import type { AdministeredUser } from './data.ts'

export const ROLES = { member: 'member', admin: 'administrator' } as const satisfies Record<
  AdministeredUser['role'],
  string
>
export const PLANS = {
  FREE: 'FREE',
  BASIC: 'BASIC',
  ADVANCED: 'ADVANCED',
  PRO: 'PRO',
} as const satisfies Record<AdministeredUser['plan'], string>
