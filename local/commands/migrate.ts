import { apiSettings, readSettings } from '#config/env.ts'
import { migrate } from '#db/engine/migrate.ts'

/** Migrates the schema of DATABASE_URL: the first step of a deployment. */
try {
  const { DATABASE_URL } = readSettings(apiSettings.pick({ DATABASE_URL: true }))
  const { applied } = await migrate(DATABASE_URL)
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
} catch (error) {
  console.error(`The schema of DATABASE_URL could not be brought up to date: ${(error as Error).message}`)
  process.exitCode = 1
}
