import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'

interface Column {
  name: string
  type: string
  isNullable: boolean
  hasDefault: boolean
  isPrimary: boolean
}

/** Types of columns by the type that an entity names; numbers that must stay exact are texts in an entity. */
const COLUMN_TYPES: Record<string, RegExp> = {
  UuidType: /^uuid$/,
  text: /^text$/,
  string: /^(text|date)$/,
  Date: /^timestamp with time zone$/,
  DateTimeType: /^timestamp with time zone$/,
  datetime: /^timestamp with time zone$/,
  DateType: /^date$/,
  date: /^date$/,
  BooleanType: /^boolean$/,
  boolean: /^boolean$/,
  IntegerType: /^(integer|smallint)$/,
  integer: /^(integer|smallint)$/,
  BigIntType: /^bigint$/,
  DecimalType: /^numeric/,
  JsonType: /^jsonb$/,
  ArrayType: /\[\]$/,
}

describe('the entities', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })

  const columnsOf = (table: string) =>
    database.em.execute<Column[]>(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNullable",
         a.atthasdef or a.attidentity <> '' as "hasDefault",
         exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and a.attnum = any (i.indkey))
           as "isPrimary"
       from pg_attribute a where a.attrelid = ?::regclass and a.attnum > 0 and not a.attisdropped`,
      [table],
    )

  it('name tables and columns that the migrations make, with the same type, nullability and primary key', async () => {
    const faults: string[] = []
    for (const meta of database.getMetadata().getAll().values()) {
      const columns = new Map((await columnsOf(meta.tableName)).map((column) => [column.name, column]))
      for (const property of meta.props.filter(({ persist }) => persist !== false))
        for (const name of property.fieldNames) {
          const at = `${meta.className}.${property.name}`
          const column = columns.get(name)
          if (!column) {
            faults.push(`${at}: ${meta.tableName} has no column ${name}`)
            continue
          }
          if (Boolean(property.nullable) !== column.isNullable)
            faults.push(`${at}: ${column.isNullable ? 'the column may be null' : 'the column is never null'}`)
          if (Boolean(property.primary) !== column.isPrimary)
            faults.push(`${at}: ${column.isPrimary ? 'is part of the primary key' : 'is no primary key'}`)
          const expected = COLUMN_TYPES[property.type]
          if (!expected) faults.push(`${at}: no rule says which column ${property.type} is`)
          else if (!expected.test(column.type))
            faults.push(`${at}: ${property.type}, but the column is ${column.type}`)
        }
    }
    assert.deepEqual(faults, [])
  })

  it('leave out no column that a new row must be given', async () => {
    const faults: string[] = []
    for (const meta of database.getMetadata().getAll().values()) {
      const named = new Set(meta.props.flatMap(({ fieldNames }) => fieldNames))
      for (const column of await columnsOf(meta.tableName))
        if (!named.has(column.name) && !column.isNullable && !column.hasDefault)
          faults.push(`${meta.className}: ${meta.tableName}.${column.name}`)
    }
    assert.deepEqual(faults, [])
  })
})
