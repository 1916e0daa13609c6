import { pageOf, textOf } from '../parts/search.ts'

/** Whose log is shown, as the address tells it: without a user, that of everybody. */
export interface AuditSearch {
  user?: string
  page?: number
}

export const auditSearch = (raw: Record<string, unknown>): AuditSearch => ({
  ...textOf(raw, 'user'),
  ...pageOf(raw),
})
