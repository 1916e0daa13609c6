import { z } from 'zod'
import { paging } from '../http/validation/query.ts'

/** The query of GET /audit-log. */
export const auditLogQuery = z.strictObject(paging)
/** The query of GET /tokens. */
export const tokenListQuery = z.strictObject(paging)
