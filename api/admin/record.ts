import type { UserRecord } from '#db/identity/users.ts'
import { presentAuditEvent, presentUser } from '../identity/record.ts'
import type { AdministeredUserAnswer } from '#contract/admin/answers.ts'

export const presentUserToAdmin = (user: UserRecord): AdministeredUserAnswer => ({
  ...presentUser(user),
  isDisabled: user.isDisabled,
  hasPassword: user.passwordHash !== null,
})

export const presentEventToAdmin = (event: Parameters<typeof presentAuditEvent>[0]) => ({
  ...presentAuditEvent(event),
  userId: event.userId,
})
