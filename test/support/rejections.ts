import assert from 'node:assert/strict'
import { WorkflowUpdateFailedError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { UpdateRejection } from '#workflows/signal/contract.ts'

/** Waits for a message to be refused, and returns in what words and with what details. */
export async function refused(
  answer: Promise<unknown>,
  type: UpdateRejection,
): Promise<{ message: string; details: unknown[] }> {
  let given: unknown
  try {
    given = await answer
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure))
      throw error
    assert.equal(error.cause.type, type, error.cause.message)
    return { message: error.cause.message, details: error.cause.details ?? [] }
  }
  return assert.fail(`not refused as ${type}, but answered ${JSON.stringify(given)}`)
}
