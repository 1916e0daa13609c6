import { apiSettings, readSettings } from '#config/env.ts'
import { migrate } from '#db/migrate.ts'

/** Brings the schema of DATABASE_URL up to date: the first step of a deployment. */
const { applied } = await migrate(readSettings(apiSettings.pick({ DATABASE_URL: true })).DATABASE_URL)
console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
