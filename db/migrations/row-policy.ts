/** Permits users their own rows. `rights` as in GRANT. */
export const belongsTo = (table: string, owner: string, rights: string): string[] => [
  `grant ${rights} on ${table} to durable_trader_member`,
  `alter table ${table} enable row level security`,
  `create policy own_rows on ${table} to durable_trader_member
   using (${owner} = (select acting_user())) with check (${owner} = (select acting_user()))`,
]
