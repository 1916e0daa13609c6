import assert from 'node:assert/strict'
import { read, repositoryFiles } from './source-files.ts'

describe('the calendars of brokers', () => {
  it('the calendars of brokers are read at one place, which judges what they say', () => {
    const readers = repositoryFiles('.ts').filter(
      (path) => !/^(test|bench)\//.test(path) && read(path).includes('.listSessions('),
    )
    assert.deepEqual(readers, ['brokers/sessions.ts'])
  })
})
