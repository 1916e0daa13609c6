import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'
import { SCOPES } from '#domain/token-bounds.ts'
import { haltAnswer } from '../settings/answers.ts'
import { auditEventAnswer, userAnswer } from '../identity/answers.ts'

const administeredUserAnswer = z
  .strictObject({
    ...userAnswer.shape,
    isDisabled: z.boolean(),
    hasPassword: z.boolean().describe('False until an invited user has chosen one'),
  })
  .meta({ id: 'AdministeredUser' })

export const userListAnswer = z.strictObject({ users: z.array(administeredUserAnswer), ...pagingAnswer })
export const administeredAnswer = z.strictObject({ user: administeredUserAnswer })
export const userDetailAnswer = z.strictObject({
  user: administeredUserAnswer,
  halt: haltAnswer
    .nullable()
    .describe('What an administrator has set for this user; null when nothing stands'),
})
export const issuedKeyAnswer = z.strictObject({
  id: z.uuid(),
  label: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  prefix: z.string(),
  expiresAt: z.iso.datetime(),
  key: z.string().describe('Shown this once'),
})
export const wholeAuditLogAnswer = z.strictObject({
  events: z.array(
    z.strictObject({ ...auditEventAnswer.shape, userId: z.uuid().nullable().describe('Whom it concerns') }),
  ),
  ...pagingAnswer,
})

export type AdministeredUserAnswer = z.output<typeof administeredUserAnswer>
