#!/usr/bin/env node
// A to-do list: an array of {text, done}.
