import { z } from 'zod'
import { paging } from '../http/validation/query.ts'

export const auditLogQuery = z.strictObject(paging)
export const tokenListQuery = z.strictObject(paging)
