import { pageOf, textOf } from '../parts/search.ts'

export interface AuditSearch {
  user?: string
  page?: number
}

export const auditSearch = (raw: Record<string, unknown>): AuditSearch => ({
  ...textOf(raw, 'user'),
  ...pageOf(raw),
})
