import type { EntityDictionary, EntityName, FilterQuery, QBFilterQuery } from '@mikro-orm/postgresql'
import type { EntityManager } from './database.ts'
import { queryRows } from './row-security.ts'

export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

type RowOrder<Entity> = Partial<Record<keyof Entity & string, 'asc' | 'desc'>>

export function selectOf<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<Entity>,
  orderBy: RowOrder<Entity> = {},
): Statement {
  const query = em
    .createQueryBuilder(entity, 'e')
    .select(em.getMetadata(entity).props.map(({ name }) => name) as never)
    .where(where as QBFilterQuery<Entity>)
  const { sql, params } = query.orderBy(orderBy as never).toQuery()
  return { sql, parameters: params }
}

/** Plain rows; changes are not stored. For a user one round trip. */
export async function findRows<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<Entity>,
  orderBy: RowOrder<Entity> = {},
): Promise<Entity[]> {
  const { sql, parameters } = selectOf(em, entity, where, orderBy)
  return (await queryRows<Record<string, unknown>>(em, sql, parameters)).map(readerOf(em, entity))
}

export async function findRow<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<Entity>,
): Promise<Entity | null> {
  return (await findRows(em, entity, where))[0] ?? null
}

export function readerOf<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
): (row: Record<string, unknown>) => Entity {
  const meta = em.getMetadata(entity)
  const platform = em.getPlatform()
  const converted = meta.props.filter(({ customType }) => customType)
  return (row) => {
    const read = em.getDriver().mapResult<Entity>(row as EntityDictionary<Entity>, meta)! as Record<
      string,
      unknown
    >
    for (const { name, customType } of converted)
      if (read[name] != null) read[name] = customType!.convertToJSValue(read[name], platform)
    return read as Entity
  }
}
