import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

describe('the calendars of brokers', () => {
  it('the calendars of brokers are read at one place, which judges what they say', () => {
    const readers = repositoryFiles('.ts').filter(
      (path) =>
        !/^(test|bench)\//.test(path) &&
        readFileSync(join(REPOSITORY, path), 'utf8').includes('.listSessions('),
    )
    assert.deepEqual(readers, ['brokers/sessions.ts'])
  })
})
