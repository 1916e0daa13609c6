import { z } from 'zod'
import { cursorFrom } from './cursor.ts'

export const changesQuery = z.strictObject({ since: cursorFrom() })
