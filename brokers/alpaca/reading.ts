import type { z } from 'zod'
import type { BrokerHttp, HttpAnswer } from '../http.ts'
import { isNotFound, requestError } from './rejections.ts'
import { readJson, readWire } from './wire.ts'

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300

/** The JSON of a successful answer to a read; throws the error that any other answer means. */
export function readSuccess(answer: HttpAnswer, what: string): unknown {
  if (!isSuccess(answer)) throw requestError(answer, what)
  return readJson(answer.body, what)
}

/** Asks for what has this shape. */
export async function get<T extends z.ZodType>(
  http: BrokerHttp,
  path: string,
  schema: T,
  what: string,
): Promise<z.output<T>> {
  return readWire(schema, readSuccess(await http.send('GET', path), what), what)
}

/** As {@link get}; null when the broker says that there is no such thing. */
export async function getOrNull<T extends z.ZodType>(
  http: BrokerHttp,
  path: string,
  schema: T,
  what: string,
): Promise<z.output<T> | null> {
  const answer = await http.send('GET', path)
  return isNotFound(answer) ? null : readWire(schema, readSuccess(answer, what), what)
}
