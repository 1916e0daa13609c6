/**
 * Statements that let a user's own rows of a table, and no others, be used in the user's name.
 *
 * @param owner the column of the owner's id
 * @param rights what may be done with own rows, as GRANT lists it
 */
export const belongsTo = (table: string, owner: string, rights: string): string[] => [
  `grant ${rights} on ${table} to durable_trader_member`,
  `alter table ${table} enable row level security`,
  `create policy own_rows on ${table} to durable_trader_member
   using (${owner} = (select acting_user())) with check (${owner} = (select acting_user()))`,
]
