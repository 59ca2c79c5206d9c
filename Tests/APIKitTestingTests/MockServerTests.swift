import APIKit
import Foundation
import Testing
