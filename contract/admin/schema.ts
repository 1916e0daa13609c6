import { z } from 'zod'
import { email, expiry, scopes } from '../identity/schema.ts'
import { paging } from '../values/query.ts'
import { lineOfText, oneOf, trueOrFalse, uuid } from '../values/values.ts'

export const PLANS = ['FREE', 'BASIC', 'ADVANCED', 'PRO'] as const
export const ROLES = ['admin', 'member'] as const

export const userListQuery = z.strictObject(paging)
export const auditQuery = z.strictObject({ userId: uuid().optional(), ...paging })

export const newUser = {
  email: email(),
  role: oneOf(ROLES).default('member'),
  plan: oneOf(PLANS).optional(),
}
export const userChange = {
  plan: oneOf(PLANS).optional(),
  role: oneOf(ROLES).optional(),
  isDisabled: trueOrFalse().optional(),
}
export const legacyKey = { label: lineOfText(100), scopes: scopes(), expiresAt: expiry() }
