// cdktf captures a source-mapped stack trace per element, which costs three times the synth itself inside vitest.
process.env.CDKTN_DISABLE_CREATION_STACK = "1";
Error.stackTraceLimit = 30;
