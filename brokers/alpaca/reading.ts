import type { z } from 'zod'
import type { BrokerHttp, HttpAnswer } from '../http.ts'
import { isNotFound, requestError } from './rejections.ts'
import { readJson, readWire } from './wire.ts'

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300

export function readSuccess(answer: HttpAnswer, what: string): unknown {
  if (!isSuccess(answer)) throw requestError(answer, what)
  return readJson(answer.body, what)
}

export async function get<T extends z.ZodType>(
  http: BrokerHttp,
  path: string,
  schema: T,
  what: string,
): Promise<z.output<T>> {
  return readWire(schema, readSuccess(await http.send('GET', path), what), what)
}

export async function getOrNull<T extends z.ZodType>(
  http: BrokerHttp,
  path: string,
  schema: T,
  what: string,
): Promise<z.output<T> | null> {
  const answer = await http.send('GET', path)
  return isNotFound(answer) ? null : readWire(schema, readSuccess(answer, what), what)
}
