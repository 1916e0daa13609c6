import { isRaw, JsonProperty, Utils, type BasePostgreSqlPlatform } from '@mikro-orm/postgresql'
import { toStorableJson, toStorableText } from './json.ts'

export interface BoundStatement {
  text: string
  values: (string | null)[]
}

const INT4 = 2 ** 31

/** MikroORM would write values into texts, which PostgreSQL logs. `?`: value or list; `??`: name; `\?`: itself. */
export function bind(
  platform: BasePostgreSqlPlatform,
  sql: string,
  parameters: readonly unknown[],
): BoundStatement {
  const values: BoundStatement['values'] = []
  const placeholder = (value: string, type = ''): string => `$${values.push(value)}${type}`

  function written(value: unknown): string {
    if (value === undefined) throw new TypeError('A value of a statement is missing')
    if (value === null) return 'null'
    if (isRaw(value)) return filledIn(value.sql, value.params)
    if (Utils.isPlainObject(value) || (value as { [JsonProperty]?: true })[JsonProperty])
      return placeholder(toStorableJson(value))
    if (Array.isArray(value)) return value.map(written).join(', ')
    if (typeof value === 'boolean') return placeholder(String(value), '::boolean')
    if (typeof value === 'number') return placeholder(String(value), typeOfNumber(value))
    if (value instanceof Date) return placeholder(platform.formatDate(value))
    if (ArrayBuffer.isView(value))
      return placeholder(
        `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`,
      )
    if (typeof value === 'string') return placeholder(toStorableText(value))
    if (typeof value === 'bigint') return placeholder(String(value))
    throw new TypeError(`A ${typeof value} cannot be a value of a statement`)
  }

  function filledIn(text: string, inserted: readonly unknown[]): string {
    if (inserted.length === 0) return text
    let next = 0
    return text.replaceAll(/\\\?|\?\??/g, (mark) => {
      if (mark === '\\?') return '?'
      const value = inserted[next++]
      return mark === '??' ? platform.quoteIdentifier(value as string) : written(value)
    })
  }

  return { text: filledIn(sql, parameters), values }
}

function typeOfNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('Only finite numbers can be handed to PostgreSQL')
  if (!Number.isInteger(value)) return '::numeric'
  if (value >= -INT4 && value < INT4) return '::int4'
  return Number.isSafeInteger(value) ? '::int8' : '::numeric'
}
